import { useState } from 'react';
import type { InstanceTask } from '../../../src/workflows/workflows.schemas.ts';
import { formatDuration } from '../design/duration.ts';
import { Pager } from '../design/pager.tsx';
import { Table } from '../design/table.tsx';
import { durationOf } from './duration.ts';
import { shownStatus } from './status.ts';
import { StatusBadge } from './status-badge.tsx';
import { StatusSelect } from './status-select.tsx';

const perPage = 10;

/** The elements of a foreach, by status if wished: of a thousand one wants to see the one that failed. */
export function ForeachElements({
  elements,
  now,
  onSelect,
}: {
  elements: readonly InstanceTask[];
  now: number;
  onSelect: (id: string) => void;
}) {
  const [page, setPage] = useState(1);
  const [status, setStatus] = useState('');
  const found = status === '' ? elements : elements.filter((one) => shownStatus(one) === status);
  const last = Math.max(1, Math.ceil(found.length / perPage));
  const here = Math.min(page, last);
  return (
    <section className="stack">
      <h3>Elements</h3>
      <StatusSelect label="Status of elements" tasks={elements} value={status} onValue={setStatus} />
      <Table
        label="Elements"
        rows={found.slice((here - 1) * perPage, here * perPage)}
        keyOf={({ id }) => id}
        onOpen={({ id }) => onSelect(id)}
        columns={[
          {
            head: 'Element',
            cell: ({ id, key }) => (
              <button type="button" className="link" onClick={() => onSelect(id)}>
                {key}
              </button>
            ),
          },
          { head: 'Status', isNarrow: true, cell: (task) => <StatusBadge status={shownStatus(task)} /> },
          {
            head: 'Duration',
            isNarrow: true,
            isNumber: true,
            cell: (task) => {
              const ms = durationOf(task, now);
              return ms === undefined ? '–' : formatDuration(ms);
            },
          },
        ]}
      />
      {found.length > perPage && <Pager page={here} perPage={perPage} total={found.length} onPage={setPage} />}
    </section>
  );
}
