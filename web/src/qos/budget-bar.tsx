import './budget-bar.css';
import { formatMinutes } from './figures.ts';
import type { Objective } from './qos-types.ts';

/** What is left of the time that a label may fail. */
export function BudgetBar({ objective }: { objective: Objective | undefined }) {
  if (!objective) return <span className="small muted">no objective</span>;
  const { target, window_days: days, budget } = objective;
  const goal = `${target} % over ${days} ${days === 1 ? 'day' : 'days'}`;
  if (budget.left_percent === null) {
    return (
      <span className="small muted">{`${goal}: ${budget.known_days === 0 ? 'no figures yet' : 'allows nothing'}`}</span>
    );
  }
  const left = Math.max(0, Math.min(100, budget.left_percent));
  const tone = budget.left_percent < 0 ? 'bad' : budget.left_percent < 25 ? 'warn' : 'good';
  const words =
    budget.left_percent < 0
      ? `overspent by ${formatMinutes(budget.spent_minutes - budget.allowed_minutes)}`
      : `${formatMinutes(budget.allowed_minutes - budget.spent_minutes)} left`;
  return (
    <div className="budget">
      <div className="budget-bar" aria-hidden="true">
        <span className={`budget-${tone}`} style={{ width: `${budget.left_percent < 0 ? 100 : left}%` }} />
      </div>
      <div className="small numbers">
        <span className={`percent-${tone}`}>{words}</span> <span className="muted">of {goal}</span>
      </div>
    </div>
  );
}
