import { createScratchPool, runQuery } from '../../src/graph/model/query.ts';
import type { BenchCase, BenchRow, PreparedCase } from '../harness/case.ts';
import { bestCpuMs, drain } from './cpu-time.ts';
import { NOW } from './layered-graph.ts';
import { findRoots, forgetGraph, type SizedGraph, sizedGraph } from './sized-graph.ts';

/**
 * The same answer from ever larger graphs: walks, order and bytes of a page as a model thread makes them. Neither HTTP nor a database
 * is around it, since their fixed cost would only hide growth. 10M/50M with `--large`.
 */
export const cases: BenchCase[] = [
  {
    name: 'the same answer from larger graphs',
    rounds: 5,
    prepare: async ({ isQuick, isLarge }) =>
      isQuick
        ? prepare([20_000, 100_000], 200)
        : prepare([100_000, 1_000_000, ...(isLarge ? [10_000_000] : [])], 1_000),
  },
];

function prepare(sizes: number[], impacted: number): PreparedCase {
  const graphs = sizes.map(sizedGraph);
  const [smallest, ...larger] = graphs;
  return {
    contenders: Object.fromEntries(graphs.map((sized) => [sized.title, askPages(sized, impacted)])),
    rows: larger.map(
      (sized): BenchRow => ({
        title: `page of 25 out of ${impacted.toLocaleString('en-US')} impacted, ${sized.title}`,
        figure: 'page',
        unit: 'cpu ms',
        better: 'lower',
        ours: sized.title,
        peer: smallest.title,
        target: { ratioAtLeast: 0.5 },
      }),
    ),
    versions: {},
    close: async () => forgetGraph(10_000_000),
  };
}

/** Many roots in turn: one alone would have its part of a graph of any size in the processor's cache. */
function askPages(sized: SizedGraph, impacted: number) {
  const roots = findRoots(sized, impacted, 50);
  const graph = { base: sized.base, overlay: undefined };
  const pool = createScratchPool();
  const askAll = () => {
    for (const { label, name } of roots) {
      const question = {
        kind: 'impacted',
        label,
        name,
        impactedLabel: 'Website',
        skip: 0,
        limit: 25,
        ts: NOW,
      } as const;
      drain(runQuery(graph, pool, question));
    }
  };
  return async () => ({ page: bestCpuMs(askAll) / roots.length });
}
