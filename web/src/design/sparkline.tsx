import './sparkline.css';

const [width, height, inset] = [120, 32, 2];

/**
 * A line without axes. Null is a gap: nothing is known there, and nothing is drawn. `label` says in words what it shows.
 *
 *     <Sparkline values={[99.9, null, 100]} min={90} max={100} label="…" />
 */
export function Sparkline({
  values,
  label,
  min = Math.min(...known(values)),
  max = Math.max(...known(values)),
}: {
  values: readonly (number | null)[];
  label: string;
  min?: number;
  max?: number;
}) {
  const span = max - min || 1;
  const x = (index: number): number => inset + (index / Math.max(1, values.length - 1)) * (width - 2 * inset);
  const y = (value: number): number => height - inset - ((value - min) / span) * (height - 2 * inset);
  const stretches = splitAtGaps(values);
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <line x1={inset} x2={width - inset} y1={height - 0.5} y2={height - 0.5} vectorEffect="non-scaling-stroke" />
      {stretches.map((points) => {
        const line = points.map(([index, value]) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
        const [first, last] = [points[0]?.[0] ?? 0, points.at(-1)?.[0] ?? 0];
        return (
          <g key={first}>
            <polygon points={`${x(first).toFixed(1)},${height} ${line} ${x(last).toFixed(1)},${height}`} />
            {points.length === 1 ? (
              <circle cx={x(first)} cy={y(points[0]?.[1] ?? 0)} r="1.6" />
            ) : (
              <polyline points={line} vectorEffect="non-scaling-stroke" />
            )}
          </g>
        );
      })}
    </svg>
  );
}

const known = (values: readonly (number | null)[]): number[] => {
  const list = values.filter((value) => value !== null);
  return list.length > 0 ? list : [0];
};

function splitAtGaps(values: readonly (number | null)[]): [index: number, value: number][][] {
  const stretches: [number, number][][] = [];
  let isGap = true;
  for (const [index, value] of values.entries()) {
    if (value === null) {
      isGap = true;
      continue;
    }
    if (isGap) stretches.push([]);
    stretches.at(-1)?.push([index, value]);
    isGap = false;
  }
  return stretches;
}
