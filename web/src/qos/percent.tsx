import { formatPercent, toneOf } from './figures.ts';
import './percent.css';

/** A figure in the colour of how good it is. Where less than all was measured, it says how much. */
export function Percent({
  value,
  coverage,
  target,
}: {
  value: number | null;
  coverage?: number | undefined;
  target?: number | undefined;
}) {
  const isPartly = coverage !== undefined && coverage < 99.5 && value !== null;
  return (
    <span className="percent numbers">
      <span className={value === null ? 'muted' : `percent-${toneOf(value, target)}`}>{formatPercent(value)}</span>
      {isPartly && (
        <span className="small muted" title="Share of the day that was measured">
          {' '}
          {Math.floor(coverage)} % measured
        </span>
      )}
    </span>
  );
}

/** From one figure to another. */
export function PercentChange({ before, after }: { before: number | null; after: number | null }) {
  const difference = before !== null && after !== null ? after - before : null;
  return (
    <span className="percent numbers">
      <span className="muted">{formatPercent(before)}</span> <span aria-hidden="true">→</span>
      <span className="unseen">to</span> <Percent value={after} />
      {difference !== null && difference !== 0 && (
        <span className="small muted">
          {' '}
          ({difference > 0 ? '+' : '−'}
          {Math.abs(difference).toFixed(3)})
        </span>
      )}
    </span>
  );
}
