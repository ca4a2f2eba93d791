import { Link } from 'wouter';
import type { InstanceListItem } from '../../../src/workflows/workflows.schemas.ts';
import { Time } from '../design/time.tsx';
import { instancePath } from '../routing/paths.ts';
import { countStatuses, labelOf, toneOf } from './status.ts';
import { StatusBadge } from './status-badge.tsx';

const shownRuns = 16;

/** The last runs of a workflow as coloured bars, oldest first, and the last of all as a link. */
export function RecentRuns({ runs }: { runs: readonly InstanceListItem[] }) {
  const [latest] = runs;
  if (!latest) return <span className="muted">No recent run</span>;
  const shown = runs.slice(0, shownRuns).toReversed();
  const counts = countStatuses(shown.map(({ status }) => ({ status, is_skipped: false, run: '' })));
  const words = [...counts].map(([status, count]) => `${count} ${labelOf(status).toLowerCase()}`).join(', ');
  return (
    <span className="runs">
      <span className="run-bars" role="img" aria-label={`The last ${shown.length} runs: ${words}`} title={words}>
        {Array.from({ length: shownRuns - shown.length }, (_, place) => (
          // They are all the same.
          // oxlint-disable-next-line react/no-array-index-key
          <span key={place} className="run-bar run-none" />
        ))}
        {shown.map(({ id, status }) => (
          <span key={id} className={`run-bar run-${toneOf(status)}`} />
        ))}
      </span>
      <Link href={instancePath(latest.id)} className="run-latest">
        <StatusBadge status={latest.status} /> <Time at={latest.created} format="relative" />
      </Link>
    </span>
  );
}

/** By `project.NAME`, newest first as they come. */
export const groupRuns = (runs: readonly InstanceListItem[]): Map<string, InstanceListItem[]> =>
  Map.groupBy(runs, ({ fullname }) => fullname);
