import { DirectedGraph } from 'graphology';
import type { Base } from '../../src/graph/model/base.ts';
import { Scratch } from '../../src/graph/model/scratch.ts';
import { walkActive, walkImpacted } from '../../src/graph/model/walk.ts';
import type { BenchCase, BenchRow, Figures, PreparedCase } from '../harness/case.ts';
import { dependencyVersion } from '../harness/versions.ts';
import { compileCPeer } from './c-walk.ts';
import { bestCpuMs, drain } from './cpu-time.ts';
import { NOW } from './layered-graph.ts';
import { findRoot, mainGraph, type Root, type SizedGraph, sizedGraph } from './sized-graph.ts';

const row = { unit: 'cpu ms', better: 'lower', ours: 'kernel' } as const;

/** The walk alone, in one thread and without anything around it. */
export const cases: BenchCase[] = [
  { name: 'walking kernel and C', rounds: 5, prepare: ({ isQuick }) => prepareC(mainGraph(isQuick)) },
  // A million nodes as objects take minutes to make and gigabytes to hold, so this peer gets the smaller graph.
  { name: 'walking kernel and graphology', rounds: 3, prepare: async () => prepareGraphology(sizedGraph(100_000)) },
];

async function prepareC(sized: SizedGraph): Promise<PreparedCase> {
  const root = findRoot(sized, sized.base.nodeCount * 0.096);
  const c = await compileCPeer(sized.base);
  const title = (walk: string) => `${walk}, ${sized.title}, ${root.impacted.toLocaleString('en-US')} impacted`;
  const peer: Partial<BenchRow> = c ? { peer: 'C -O3' } : {};
  const lacks = c ? '' : ' (no C compiler here to compare with)';
  return {
    contenders: {
      kernel: async () => walkBoth(sized.base, root),
      ...(c && {
        'C -O3': async () => {
          const { all, active } = await c.walk(root.id, NOW, 200);
          refuseDifference(all.impacted, root.impacted);
          return { all: all.milliseconds, active: active.milliseconds };
        },
      }),
    },
    rows: [
      { ...row, ...peer, title: title('walk') + lacks, figure: 'all', target: c ? { ratioAtLeast: 0.5 } : 'none' },
      { ...row, ...peer, title: title('walk of what is active') + lacks, figure: 'active', target: 'none' },
    ],
    versions: {},
    close: async () => c?.close(),
  };
}

function prepareGraphology(sized: SizedGraph): PreparedCase {
  const root = findRoot(sized, sized.base.nodeCount * 0.096);
  const graph = toGraphology(sized);
  return {
    contenders: {
      kernel: async () => walkBoth(sized.base, root),
      graphology: async () => {
        refuseDifference(walkGraphology(graph, root.id), root.impacted);
        return { all: bestCpuMs(() => void walkGraphology(graph, root.id), 2) };
      },
    },
    rows: [
      {
        ...row,
        title: `walk, ${sized.title}, ${root.impacted.toLocaleString('en-US')} impacted`,
        figure: 'all',
        peer: 'graphology',
        target: 'none',
      },
    ],
    versions: { graphology: dependencyVersion('graphology') },
    close: async () => graph.clear(),
  };
}

function walkBoth(base: Base, root: Root): Figures {
  const graph = { base, overlay: undefined };
  const scratch = new Scratch();
  const all = bestCpuMs(() => void drain(walkImpacted(graph, scratch, root.id)));
  const active = bestCpuMs(() => {
    scratch.begin(base.nextNodeId);
    drain(walkActive(graph, scratch, root.id, NOW));
  });
  return { all, active };
}

function toGraphology({ graph, base }: SizedGraph): DirectedGraph {
  const result = new DirectedGraph();
  for (let id = 0; id < base.nodeCount; id++) result.addNode(id);
  for (const [edge, source] of graph.source.entries()) result.addDirectedEdge(source, graph.target[edge]);
  return result;
}

function walkGraphology(graph: DirectedGraph, root: number): number {
  const seen = new Set([String(root)]);
  const queue = [String(root)];
  for (const node of queue) {
    graph.forEachInNeighbor(node, (next) => {
      if (seen.has(next)) return;
      seen.add(next);
      queue.push(next);
    });
  }
  return queue.length - 1;
}

function refuseDifference(found: number, expected: number): void {
  if (found !== expected) throw new Error(`The peer finds ${found} nodes, not ${expected}.`);
}
