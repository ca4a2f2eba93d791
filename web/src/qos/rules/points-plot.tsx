import { boundsOf } from '../checks/threshold-words.ts';
import type { Execution } from '../qos-types.ts';

type Check = Execution['checks'][number];
const height = 100;
const seriesColours = 8;

/** The measured values of a check over the day, in front of the band of good values. */
export function PointsPlot({ start, end, check }: { start: number; end: number; check: Check }) {
  const { low, high } = boundsOf(check.threshold);
  const values = check.series.flatMap(({ points }) => points.map(([, value]) => value));
  const bounds = [low, high].filter((bound) => bound !== null);
  const [least, most] = [Math.min(...values, ...bounds), Math.max(...values, ...bounds)];
  const room = (most - least || 1) * 0.08;
  const [bottom, top] = [least - room, most + room];
  const y = (value: number): number => height - ((value - bottom) / (top - bottom)) * height;
  const count = check.series.reduce((sum, one) => sum + one.points_count, 0);
  const bandTop = high === null ? 0 : y(high);
  const bandEnd = low === null ? height : y(low);
  return (
    <figure className="points-plot">
      <svg viewBox={`0 0 ${end - start} ${height}`} preserveAspectRatio="none" aria-hidden="true">
        <rect className="points-good" y={bandTop} width={end - start} height={Math.max(0, bandEnd - bandTop)} />
        {check.series.map(({ points }, index) => (
          <polyline
            // Series have no name but their place.
            // oxlint-disable-next-line react/no-array-index-key
            key={index}
            points={points.map(([at, value]) => `${at - start},${y(value).toFixed(2)}`).join(' ')}
            style={{ stroke: `var(--series-${(index % seriesColours) + 1})` }}
            vectorEffect="non-scaling-stroke"
          />
        ))}
      </svg>
      <figcaption className="small muted numbers">
        {count.toLocaleString()} {count === 1 ? 'point' : 'points'}
        {check.series_count > 1 && ` in ${check.series_count.toLocaleString()} series`}
        {values.length > 0 && `, from ${round(Math.min(...values))} to ${round(Math.max(...values))}`}
        {values.length < count && `; the first ${values.length.toLocaleString()} are drawn`}
      </figcaption>
    </figure>
  );
}

const round = (value: number): string => Number(value.toPrecision(4)).toLocaleString();
