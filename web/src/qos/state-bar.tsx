import { clockOf, formatSeconds } from './figures.ts';
import './state-bar.css';

type Span = { from: number; to: number; state: 'true' | 'false' | 'unknown' };

const words = { true: 'good', false: 'bad', unknown: 'unknown' } as const;
const ticks = [0, 0.25, 0.5, 0.75, 1];

/** A stretch of time as a bar: good, bad, unknown. Hovering a part tells when it was. */
export function StateBar({
  start,
  end,
  spans,
  label,
  isTall = false,
}: {
  /** Unix seconds. */
  start: number;
  end: number;
  spans: readonly Span[];
  label: string;
  isTall?: boolean;
}) {
  const length = end - start;
  const bad = spans.filter(({ state }) => state === 'false');
  const lost = bad.reduce((sum, { from, to }) => sum + to - from, 0);
  const summary = `${label}: ${bad.length === 0 ? 'never bad' : `bad for ${formatSeconds(lost)}`}`;
  return (
    <div className={isTall ? 'state-bar state-bar-tall' : 'state-bar'}>
      <svg viewBox={`0 0 ${length} 10`} preserveAspectRatio="none" role="img" aria-label={summary}>
        {spans.map(({ from, to, state }) => (
          <rect key={from} className={`state-${words[state]}`} x={from - start} width={to - from} height="10">
            <title>{`${words[state]} from ${clockOf(from)} to ${clockOf(to)} UTC, ${formatSeconds(to - from)}`}</title>
          </rect>
        ))}
        {/* Short failures must be seen too. */}
        {bad
          .filter(({ from, to }) => to - from < length / 400)
          .map(({ from }) => (
            <rect key={`short ${from}`} className="state-bad" x={from - start} width={length / 400} height="10" />
          ))}
      </svg>
      {isTall && (
        <div className="state-bar-ticks small muted numbers" aria-hidden="true">
          {ticks.map((tick) => (
            <span key={tick}>{tick === 1 ? '24:00' : clockOf(start + Math.round(tick * length))}</span>
          ))}
        </div>
      )}
      {bad.length > 0 && (
        <p className="small muted numbers">
          {bad
            .slice(0, 3)
            .map(({ from, to }) => `${clockOf(from)}–${clockOf(to)} (${formatSeconds(to - from)})`)
            .join(', ')}
          {bad.length > 3 && ` and ${bad.length - 3} more`}
        </p>
      )}
    </div>
  );
}
