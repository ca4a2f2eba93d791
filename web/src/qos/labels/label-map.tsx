import { Link } from 'wouter';
import { qosPath } from '../../routing/paths.ts';
import { toneOf } from '../figures.ts';
import { Percent } from '../percent.tsx';
import type { LabelStatistics, Objective } from '../qos-types.ts';
import { layersOf } from './label-layers.ts';
import './label-map.css';

const [boxWidth, boxHeight, gapX, gapY] = [128, 48, 40, 12];

/** How the labels follow from each other, each with its newest figure: what is on the right makes what is on the left. */
export function LabelMap({
  teamId,
  labels,
  objectives,
}: {
  teamId: string;
  labels: readonly LabelStatistics[];
  objectives: readonly Objective[];
}) {
  const queries = labels.flatMap(({ label, qos_query: qos }) => (qos === null ? [] : [[label, { qos }] as const]));
  const { places, lines, columns, rows } = layersOf(Object.fromEntries(queries));
  if (lines.length === 0) return <p className="note small muted">Every label follows from a rule of its own.</p>;
  const at = new Map(places.map(({ label, column, row }) => [label, { x: column * (boxWidth + gapX), y: yOf(row) }]));
  const width = columns * (boxWidth + gapX) - gapX;
  const height = rows * (boxHeight + gapY) - gapY;
  return (
    // It scrolls, so it must be reachable without a pointer.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section className="label-map" aria-label="How the labels follow from each other" tabIndex={0}>
      <div style={{ width, height }}>
        <svg width={width} height={height} aria-hidden="true">
          {lines.map(({ from, to }) => (
            <path key={`${from} ${to}`} d={curve(at.get(from), at.get(to))} />
          ))}
        </svg>
        {places.map(({ label }) => {
          const value = labels.find((one) => one.label === label)?.latest?.value ?? null;
          const target = objectives.find((one) => one.label === label)?.target;
          const { x = 0, y = 0 } = at.get(label) ?? {};
          return (
            <Link
              key={label}
              href={qosPath(teamId, `/labels/${label}`)}
              className={`label-box label-box-${value === null ? 'unknown' : toneOf(value, target)}`}
              style={{ left: x, top: y, width: boxWidth, height: boxHeight }}
            >
              <strong>{label}</strong>
              <span className="small">
                <Percent value={value} target={target} />
              </span>
            </Link>
          );
        })}
      </div>
    </section>
  );
}

const yOf = (row: number): number => row * (boxHeight + gapY);

type Point = { x: number; y: number };
function curve(from: Point | undefined, to: Point | undefined): string {
  if (!from || !to) return '';
  const [x1, y1, x2, y2] = [from.x + boxWidth, from.y + boxHeight / 2, to.x, to.y + boxHeight / 2];
  const middle = (x1 + x2) / 2;
  return `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
}
