import { type KeyboardEvent, type MouseEvent, useEffect, useRef, useState } from 'react';
import { floorOf, knownStretches } from './chart-scale.ts';
import { percent, type QosDay } from './qos-api.ts';
import './qos-chart.css';

const height = 200;
const inset = { top: 12, right: 12, bottom: 24, left: 56 };

/**
 * The figure of each day as a line; days of which nothing is known are gaps. It is one control: arrow keys walk from day to day, a click
 * chooses one.
 */
export function QosChart({
  days,
  chosen,
  onDay,
}: {
  days: readonly QosDay[];
  chosen: string;
  onDay: (day: string) => void;
}) {
  const frame = useRef<SVGSVGElement>(null);
  const width = useWidth(frame);
  const floor = floorOf(days.flatMap(({ value }) => (value === null ? [] : [value])));
  const x = (index: number): number =>
    inset.left + (index / Math.max(1, days.length - 1)) * (width - inset.left - inset.right);
  const y = (value: number): number =>
    inset.top + ((100 - value) / (100 - floor)) * (height - inset.top - inset.bottom);
  const chosenIndex = days.findIndex(({ day }) => day === chosen);
  const current = days[chosenIndex];

  const choose = (index: number): void => {
    const next = days[Math.min(days.length - 1, Math.max(0, index))];
    if (next) onDay(next.day);
  };
  const handleKey = (event: KeyboardEvent): void => {
    const from = chosenIndex < 0 ? days.length : chosenIndex;
    const target = { ArrowLeft: from - 1, ArrowRight: from + 1, Home: 0, End: days.length - 1 }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    choose(target);
  };
  const handleClick = (event: MouseEvent<SVGSVGElement>): void => {
    const across = event.clientX - event.currentTarget.getBoundingClientRect().left - inset.left;
    choose(Math.round((across / (width - inset.left - inset.right)) * (days.length - 1)));
  };

  return (
    <svg
      ref={frame}
      className="qos-chart"
      role="slider"
      tabIndex={0}
      aria-label="Day to explain"
      aria-valuemin={0}
      aria-valuemax={days.length - 1}
      aria-valuenow={Math.max(0, chosenIndex)}
      aria-valuetext={current ? `${current.day}: ${percent(current.value)}` : 'no day chosen'}
      height={height}
      onKeyDown={handleKey}
      onClick={handleClick}
    >
      {[100, (100 + floor) / 2, floor].map((value) => (
        <g key={value}>
          <line className="qos-grid" x1={inset.left} x2={width - inset.right} y1={y(value)} y2={y(value)} />
          <text x={inset.left - 8} y={y(value) + 4} textAnchor="end">
            {value.toLocaleString(undefined, { maximumFractionDigits: 2 })} %
          </text>
        </g>
      ))}
      {[0, Math.floor((days.length - 1) / 2), days.length - 1].map((index) => (
        <text
          key={index}
          x={x(index)}
          y={height - 6}
          textAnchor={index === 0 ? 'start' : x(index) > width - 60 ? 'end' : 'middle'}
        >
          {days[index]?.day}
        </text>
      ))}
      {chosenIndex >= 0 && (
        <line
          className="qos-chosen"
          x1={x(chosenIndex)}
          x2={x(chosenIndex)}
          y1={inset.top}
          y2={height - inset.bottom}
        />
      )}
      {knownStretches(days.map(({ value }) => value)).map(([first, last]) => {
        const points = days
          .slice(first, last + 1)
          .map(({ value }, place) => `${x(first + place).toFixed(1)},${y(value ?? 0).toFixed(1)}`)
          .join(' ');
        const bottom = height - inset.bottom;
        return (
          <g key={first}>
            <polygon points={`${x(first)},${bottom} ${points} ${x(last)},${bottom}`} />
            <polyline points={points} />
          </g>
        );
      })}
      {days.map(({ day, value }, index) =>
        value === null ? null : (
          <circle key={day} cx={x(index)} cy={y(value)} r={day === chosen ? 5 : days.length > 100 ? 0 : 2.5}>
            <title>{`${day}: ${percent(value)}`}</title>
          </circle>
        ),
      )}
    </svg>
  );
}

function useWidth(element: { current: SVGSVGElement | null }): number {
  const [width, setWidth] = useState(640);
  useEffect(() => {
    const observed = element.current;
    if (!observed) return undefined;
    const observer = new ResizeObserver(() => setWidth(Math.max(280, observed.clientWidth)));
    observer.observe(observed);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
