import type { InstanceTask } from '../../../src/workflows/workflows.schemas.ts';
import { countStatuses, labelOf, type ShownStatus, toneOf } from './status.ts';

const order: readonly ShownStatus[] = ['success', 'skipped', 'progress', 'asks', 'error', 'canceled', 'pending'];

/** How far it is: one bar, a part for each status. */
export function StatusCounts({ tasks }: { tasks: readonly InstanceTask[] }) {
  const counts = countStatuses(tasks);
  const parts = order.flatMap((status) => {
    const count = counts.get(status);
    return count === undefined ? [] : [{ status, count }];
  });
  const words = parts.map(({ status, count }) => `${count} ${labelOf(status).toLowerCase()}`).join(', ');
  const done = tasks.filter(({ status }) => status === 'success').length;
  return (
    <span className="counts" title={words}>
      <span className="count-bar" role="img" aria-label={words}>
        {parts.map(({ status, count }) => (
          <span key={status} className={`run-${toneOf(status)}`} style={{ flexGrow: count }} />
        ))}
      </span>
      <span className="small muted numbers">
        {done.toLocaleString()} of {tasks.length.toLocaleString()}
      </span>
    </span>
  );
}
