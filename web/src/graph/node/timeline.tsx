import './timeline.css';
import { stretchesOf, ticksOf } from './periods.ts';

export type Range = { from: number; to: number };

const place = ({ from, to }: Range, at: number): number => ((at - from) / (to - from)) * 100;
const utcText = (seconds: number): string =>
  `${new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** Times under a column of bars. */
export function TimeAxis({ range, now }: { range: Range; now: number }) {
  return (
    <svg className="axis" role="img" aria-label={`From ${utcText(range.from)} to ${utcText(range.to)}`}>
      {ticksOf(range.from, range.to, 4).map(({ at, text }) => (
        <g key={at}>
          <line x1={`${place(range, at)}%`} x2={`${place(range, at)}%`} y1="14" y2="20" />
          <text x={`${place(range, at)}%`} y="11" textAnchor={place(range, at) > 85 ? 'end' : 'start'}>
            {text}
          </text>
        </g>
      ))}
      <line className="axis-now" x1={`${place(range, now)}%`} x2={`${place(range, now)}%`} y1="0" y2="20" />
    </svg>
  );
}

/** When something was, as bars on a line. */
export function TimeBars({
  periods,
  range,
  now,
  color,
  isOld = false,
}: {
  periods: readonly number[];
  range: Range;
  now: number;
  color: string;
  isOld?: boolean;
}) {
  const stretches = stretchesOf(periods, range.from, range.to);
  return (
    <svg className="bars" role="img" aria-label={wordsOf(periods)} data-old={isOld || undefined}>
      <title>{wordsOf(periods)}</title>
      <line className="bars-ground" x1="0" x2="100%" y1="9" y2="9" />
      {stretches.map(([from, to]) => (
        <rect
          key={from}
          x={`${place(range, from)}%`}
          style={{ width: `max(2px, ${place(range, to) - place(range, from)}%)`, fill: color }}
          y="4"
          height="10"
          rx="2"
        />
      ))}
      <line className="axis-now" x1={`${place(range, now)}%`} x2={`${place(range, now)}%`} y1="0" y2="18" />
    </svg>
  );
}

export function wordsOf(periods: readonly number[]): string {
  if (periods.length === 0) return 'always';
  const parts: string[] = [];
  for (let i = 0; i < periods.length && parts.length < 6; i += 2) {
    const [from, to] = [periods[i] ?? 0, periods[i + 1]];
    const start = from === 0 ? '' : `from ${utcText(from)}`;
    parts.push(`${start}${to === undefined ? ' on' : ` to ${utcText(to)}`}`.trim());
  }
  const rest = Math.ceil(periods.length / 2) - parts.length;
  return parts.join(', ') + (rest > 0 ? `, and ${rest} more` : '');
}
