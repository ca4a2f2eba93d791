import { clockOf, formatSeconds } from './figures.ts';
import './lost-time.css';

const daySeconds = 86_400;
const inWords = 3;

/** When it was lost: a day from left to right with the lost stretches in it, and the first of them in words. */
export function LostTime({
  from,
  spans,
  leftOut,
}: {
  /** Unix seconds of the beginning of the day. */
  from: number;
  spans: readonly (readonly [from: number, to: number])[];
  leftOut: number;
}) {
  if (spans.length === 0) return null;
  const more = spans.length - inWords + leftOut;
  return (
    <div className="lost-time">
      <svg viewBox={`0 0 ${daySeconds} 10`} preserveAspectRatio="none" aria-hidden="true">
        <rect className="lost-time-day" width={daySeconds} height="10" />
        {spans.map(([start, end]) => (
          // What lasted for seconds must be seen too.
          <rect key={start} x={start - from} width={Math.max(end - start, daySeconds / 250)} height="10" />
        ))}
      </svg>
      <span className="small muted numbers">
        {spans
          .slice(0, inWords)
          .map(([start, end]) => `${clockOf(start)}–${clockOf(end)} (${formatSeconds(end - start)})`)
          .join(', ')}
        {more > 0 && ` and ${more.toLocaleString()} more`}
      </span>
    </div>
  );
}
