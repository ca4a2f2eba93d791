import type { DependencyTable } from '../graph/graph.service.ts';
import { intersectSpans, type Span, secondsIn } from './spans.ts';
import { spansOf, type Timeline, WHOLE_DAY } from './timeline.ts';

/** One of the checks or dependencies that a node's figure is made of; `key` is whatever the caller knows it by. */
export type Contributor<Key> = {
  key: Key;
  /** Null where it has none: nothing was known, or it is an aggregation. */
  timeline: Timeline | null;
  value: number | null;
  /** When it counts; a check always does. */
  windows?: readonly Span[];
};

export type Cost<Key> = {
  key: Key;
  /** Seconds in which the node was false, and this one counted and was false. Several may be to blame for the same second. */
  costSeconds: number;
  /** Those seconds, in unix time: from the first one until before `to`. Empty for an aggregation, which has no seconds. */
  spans: Array<[from: number, to: number]>;
};

/**
 * What a node's lost seconds come from, the most expensive first.
 *
 *   node AND   TTTFFFFFTTTFT      `a` costs 3, `b` costs 4
 *   a          TTTFFFTTTTTTT
 *   b          TTTTTFFFTTTFT
 *
 * A dependency that was false while the node was true (OR, a share that was enough) cost nothing then. Without a timeline of its own, `node`
 * is an aggregation, and everything that is missing from a dependency costs it.
 */
export function explainCosts<Key>(
  node: Timeline | null,
  contributors: ReadonlyArray<Contributor<Key>>,
  dayStart: number,
): Cost<Key>[] {
  const lost = node ? spansOf(node, 'false') : WHOLE_DAY;
  const costs = contributors.map(({ key, timeline, value, windows = WHOLE_DAY }): Cost<Key> => {
    if (timeline) {
      const blamed = intersectSpans(intersectSpans(spansOf(timeline, 'false'), windows), lost);
      const spans = blamed.map(({ from, to }): [number, number] => [dayStart + from, dayStart + to]);
      return { key, costSeconds: secondsIn(blamed), spans };
    }
    const missing = value === null || node ? 0 : ((100 - value) / 100) * secondsIn(windows);
    return { key, costSeconds: Math.round(missing), spans: [] };
  });
  return costs.toSorted((a, b) => b.costSeconds - a.costSeconds);
}

/** The dependencies of the table's row `i`, each with its windows. */
export function dependenciesOf(table: DependencyTable, i: number): Array<{ id: number; windows: Span[] }> {
  const byId = new Map<number, Span[]>();
  for (let w = table.rowStart[i]; w < table.rowStart[i + 1]; w++) {
    const windows = byId.get(table.dependency[w]) ?? [];
    windows.push({ from: table.from[w], to: table.to[w] });
    byId.set(table.dependency[w], windows);
  }
  return Array.from(byId, ([id, windows]) => ({ id, windows }));
}
