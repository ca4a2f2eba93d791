import type { InstanceTask } from '../../../src/workflows/workflows.schemas.ts';
import { shownStatus } from './status.ts';
import { StatusBadge } from './status-badge.tsx';

/** Hooks run beside the others: they have no place in the order. */
export function HookStrip({
  tasks,
  selected,
  onSelect,
}: {
  tasks: readonly InstanceTask[];
  selected: string;
  onSelect: (id: string) => void;
}) {
  const hooks = tasks.filter(({ is_hook: isHook }) => isHook);
  if (hooks.length === 0) return null;
  return (
    <div className="hooks">
      <span className="small muted">Hooks</span>
      {hooks.map((task) => (
        <button
          key={task.id}
          type="button"
          className="hook"
          aria-pressed={task.id === selected}
          onClick={() => onSelect(task.id)}
        >
          {task.key} <StatusBadge status={shownStatus(task)} />
        </button>
      ))}
    </div>
  );
}
