import type { KeyboardEvent } from 'react';
import { floorOf, heightOf, stretchesOf } from './chart-scale.ts';
import './day-chart.css';
import { formatDay, formatPercent, formatWholeDay, toneOf } from './figures.ts';

export type ChartDay = { day: string; value: number | null };

/**
 * Figures day by day, as a line in which every day can be chosen with the pointer or the arrow keys. A day without a figure is a gap:
 * nothing is known, and nothing is drawn.
 *
 *     <DayChart label="Quality of Website" days={[{ day: '2026-11-14', value: 99.931 }]} target={99.5} onDay={setDay} />
 */
export function DayChart({
  label,
  days,
  target,
  chosen,
  onDay,
}: {
  label: string;
  days: readonly ChartDay[];
  /** Percent; drawn as a line. */
  target?: number | undefined;
  chosen?: string | undefined;
  onDay: (day: string) => void;
}) {
  const values = days.map(({ value }) => value);
  const floor = floorOf(values, target);
  const place = (index: number): number => ((index + 0.5) / days.length) * 100;
  const reachable = chosen ?? days.findLast(({ value }) => value !== null)?.day ?? days.at(-1)?.day;
  return (
    <figure className="day-chart">
      <div className="day-chart-axis small muted numbers" aria-hidden="true">
        <span>100</span>
        <span>{floor}</span>
      </div>
      <div className="day-chart-plot">
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
          {stretchesOf(values).map(({ start, values: known }) => {
            const line = known.map((value, index) => `${place(start + index)},${100 - heightOf(value, floor) * 100}`);
            return (
              <g key={start}>
                <polygon
                  points={[`${place(start)},100`, ...line, `${place(start + known.length - 1)},100`].join(' ')}
                />
                <polyline points={line.join(' ')} vectorEffect="non-scaling-stroke" />
              </g>
            );
          })}
          {target !== undefined && (
            <line
              className="day-chart-target"
              x1="0"
              x2="100"
              y1={100 - heightOf(target, floor) * 100}
              y2={100 - heightOf(target, floor) * 100}
              vectorEffect="non-scaling-stroke"
            />
          )}
        </svg>
        {target !== undefined && (
          <span
            className="day-chart-target-name small muted"
            style={{ bottom: `${heightOf(target, floor) * 100}%` }}
            aria-hidden="true"
          >
            objective {target} %
          </span>
        )}
        <div className="day-chart-days" role="group" aria-label={`${label}: choose a day`}>
          {days.map(({ day, value }, index) => (
            <button
              key={day}
              type="button"
              aria-pressed={day === chosen}
              aria-label={`${formatWholeDay(day)}: ${formatPercent(value)}`}
              tabIndex={day === reachable ? 0 : -1}
              onClick={() => onDay(day)}
              onKeyDown={handleKey}
            >
              {value !== null && (
                <span
                  className={`day-chart-dot day-chart-${toneOf(value, target)}`}
                  style={{ bottom: `${heightOf(value, floor) * 100}%` }}
                />
              )}
              <span className={`day-chart-tip ${sideOf(index, days.length)}`} aria-hidden="true">
                <strong className="numbers">{value === null ? 'No figure' : formatPercent(value)}</strong>
                <span>{formatWholeDay(day)}</span>
              </span>
            </button>
          ))}
        </div>
      </div>
      <div className="day-chart-labels small muted" aria-hidden="true">
        {days.map(({ day }, index) =>
          isNamed(index, days.length) ? (
            <span key={day} style={{ left: `${place(index)}%` }}>
              {formatDay(day)}
            </span>
          ) : null,
        )}
      </div>
    </figure>
  );
}

/** Some days are named below, counted from the last one. */
const isNamed = (index: number, count: number): boolean => (count - 1 - index) % Math.ceil(count / 4) === 0;

/** The words beside a day at the edge must not leave the picture. */
const sideOf = (index: number, count: number): string =>
  index < count / 4 ? 'tip-start' : index > (count * 3) / 4 ? 'tip-end' : '';

function handleKey(event: KeyboardEvent<HTMLButtonElement>): void {
  const { currentTarget: here } = event;
  const all = [...(here.parentElement?.children ?? [])];
  const at = all.indexOf(here);
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: all.length - 1 }[event.key];
  if (to === undefined) return;
  const next = all[to];
  if (next instanceof HTMLElement) next.focus();
  event.preventDefault();
}
