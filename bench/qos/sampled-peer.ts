import type { Base } from '../../src/graph/model/base.ts';
import { dependenciesOf } from '../../src/qos/explain.ts';
import type { RollUpQuery } from '../../src/qos/roll-up.ts';
import { type Timeline, UNKNOWN_DAY } from '../../src/qos/timeline.ts';
import { decodeTimeline } from '../../src/qos/timeline-bytes.ts';
import { cut, QUERIES, tableOf } from './compute-day.ts';
import { figureByPoints, type PointInput, type PointMap } from './point-maps.ts';
import type { StoredFigures } from './stored-figures.ts';

/** Nodes of one label with what the peer needs for them, and how many the sample stands for. */
export type Sample = { query: RollUpQuery; nodes: Array<{ inputs: PointInput[]; value: number | null }>; of: number };

/**
 * Some nodes of every label, evenly: a million would take the peer an hour. Their dependencies' days are those that the roll-up computed, in
 * the peer's own shape, so that it has to do its own part only.
 */
export function drawSamples(
  base: Base,
  stored: StoredFigures,
  perLabel: number,
  toPoints: (timeline: Timeline) => PointMap,
): Sample[] {
  return QUERIES.map(({ label, query }) => {
    const starts = cut(base, label);
    const tables = starts.map((fromNode, i) => tableOf(base, label, query, fromNode, starts[i + 1]));
    const rows = tables.flatMap((table) => Array.from(table.nodes, (id, row) => ({ table, id, row })));
    const step = Math.max(1, Math.floor(rows.length / perLabel));
    const drawn = rows.filter((_, i) => i % step === 0).slice(0, perLabel);
    const nodes = drawn.map(({ table, id, row }) => ({
      value: stored.find(id)?.value ?? null,
      inputs: dependenciesOf(table, row).map(({ id, windows }): PointInput => {
        const figure = stored.find(id);
        const timeline = figure?.timeline ? decodeTimeline(figure.timeline) : UNKNOWN_DAY;
        return { points: toPoints(timeline), windows, value: figure?.value ?? null };
      }),
    }));
    return { query, nodes, of: rows.length };
  });
}

/** Seconds of processor time for all nodes that the samples stand for. Refuses to go on where the peer's figure is another one. */
export function extrapolate(samples: Sample[]): number {
  let seconds = 0;
  for (const { query, nodes, of } of samples) {
    const start = process.threadCpuUsage();
    const figures = nodes.map(({ inputs }) => figureByPoints(query, inputs));
    const { user, system } = process.threadCpuUsage(start);
    seconds += ((user + system) / 1e6) * (of / nodes.length);
    for (const [i, figure] of figures.entries()) {
      if (figure !== nodes[i].value) throw new Error(`The peer finds ${figure} %, not ${nodes[i].value} %.`);
    }
  }
  return seconds;
}
