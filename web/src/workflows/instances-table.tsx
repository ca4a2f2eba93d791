import { Link, useLocation } from 'wouter';
import type { InstanceListItem } from '../../../src/workflows/workflows.schemas.ts';
import { formatDuration } from '../design/duration.ts';
import { type Column, Table } from '../design/table.tsx';
import { Time } from '../design/time.tsx';
import { instancePath } from '../routing/paths.ts';
import { durationOf } from './duration.ts';
import { hasEnded } from './status.ts';
import { StatusBadge } from './status-badge.tsx';
import { useSecond } from './use-second.ts';

/** Instances, newest first as they come. */
export function InstancesTable({
  label,
  instances,
  isOfOne = false,
}: {
  label: string;
  instances: readonly InstanceListItem[];
  /** All of the same workflow: its name is said elsewhere. */
  isOfOne?: boolean;
}) {
  const [, navigate] = useLocation();
  const now = useSecond(instances.some(({ status }) => !hasEnded(status)));
  const columns: Column<InstanceListItem>[] = [
    { head: 'Status', isNarrow: true, cell: ({ status }) => <StatusBadge status={status} /> },
    {
      head: isOfOne ? 'Instance' : 'Workflow',
      cell: ({ id, fullname }) => (
        <Link href={instancePath(id)} className="strong nowrap">
          {isOfOne ? <code>{shortId(id)}</code> : fullname}
        </Link>
      ),
    },
    { head: 'Created', isNarrow: true, cell: ({ created }) => <Time at={created} format="full" /> },
    {
      head: 'Duration',
      isNarrow: true,
      isNumber: true,
      cell: (instance) => {
        const ms = durationOf(instance, now);
        return ms === undefined ? '–' : formatDuration(ms);
      },
    },
    { head: 'Why', cell: (instance) => <span className="muted why">{reasonOf(instance)}</span> },
  ];
  return (
    <div className="stacked stacked-instances">
      <Table
        label={label}
        columns={columns}
        rows={instances}
        keyOf={({ id }) => id}
        onOpen={({ id }) => navigate(instancePath(id))}
      />
    </div>
  );
}

/** Enough of an id to tell instances apart by eye. The end, because the beginning is the time. */
export const shortId = (id: string): string => id.slice(-8);

/** Why it is there, or why it failed. */
function reasonOf({ error, comment, periodic, relaunched_from: from }: InstanceListItem): string {
  if (error) return error.message;
  if (comment !== null) return comment;
  if (periodic) return 'Schedule';
  return from === null ? 'Request' : `Again after ${shortId(from)}`;
}
