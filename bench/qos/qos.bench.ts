import { type SizedGraph, sizedGraph } from '../graph/sized-graph.ts';
import type { BenchCase, BenchRow, Figures, PreparedCase } from '../harness/case.ts';
import { computeDay } from './compute-day.ts';
import { type LeafDay, makeLeafDays } from './leaf-days.ts';
import { measureDayProcess } from './measure-day.ts';
import { toChanges, toMinutes } from './point-maps.ts';
import { drawSamples, extrapolate } from './sampled-peer.ts';

/**
 * A day of a whole estate: the dependency tables from the read model, the figures of the dependencies gathered, timelines combined, measured and
 * encoded. Without a database, whose part is the same for any way of computing.
 */
export const cases: BenchCase[] = [
  {
    name: 'a day of quality of service',
    rounds: 3,
    prepare: async ({ isQuick }) => prepareDay(sizesOf(isQuick), isQuick ? 10 : 60),
  },
  { name: 'memory of a day', rounds: 3, prepare: async ({ isQuick }) => prepareMemory(sizesOf(isQuick)) },
];

const leafDayCount = 1000;
const sizesOf = (isQuick: boolean): number[] => (isQuick ? [20_000, 100_000] : [100_000, 1_000_000]);

function prepareDay(sizes: number[], perLabel: number): PreparedCase {
  const [small, large] = sizes.map(sizedGraph);
  const leafDays = makeLeafDays(leafDayCount);
  const stored = computeDay(large.base, leafDays);
  const minutes = drawSamples(large.base, stored, perLabel, toMinutes);
  const changes = drawSamples(large.base, stored, perLabel, toChanges);
  const [byMinutes, byChanges] = [`sorted maps, ${perLabel} nodes a label × all`, 'sorted maps of changes only'];
  const title = `a day of ${large.title}, ${leafDayCount.toLocaleString('en-US')} days of checks`;
  const row = { unit: 'cpu s', better: 'lower', ours: large.title, figure: 'cpuSeconds' } as const;
  return {
    contenders: {
      // As long as the large one, so that the machine's mood hits both alike.
      [small.title]: async () => runDays(small, leafDays, large.base.nodeCount / small.base.nodeCount),
      [large.title]: async () => runDays(large, leafDays, 1),
      [byMinutes]: async () => ({ cpuSeconds: extrapolate(minutes) }),
      [byChanges]: async () => ({ cpuSeconds: extrapolate(changes) }),
    },
    rows: [
      { ...row, title, peer: byMinutes, target: { ratioAtLeast: 100 } },
      { ...row, title, peer: byChanges, target: 'none' },
      { ...row, title: `${title}, by the clock`, figure: 'seconds', unit: 's', target: 'none' },
      {
        ...row,
        title: `${title}, each node, against ${small.title}`,
        figure: 'cpuMicrosecondsPerNode',
        unit: 'cpu µs',
        peer: small.title,
        // Ten times the nodes for at most twelve times the time: each may cost a fifth more.
        target: { ratioAtLeast: 0.84 },
      },
    ],
    versions: {},
    close: async () => undefined,
  };
}

function runDays({ base }: SizedGraph, leafDays: LeafDay[], times: number): Figures {
  const startedAt = performance.now();
  const start = process.threadCpuUsage();
  let count = 0;
  for (let time = 0; time < times; time++) count += computeDay(base, leafDays).count;
  const { user, system } = process.threadCpuUsage(start);
  const cpuMicroseconds = user + system;
  return {
    cpuSeconds: cpuMicroseconds / times / 1e6,
    cpuMicrosecondsPerNode: cpuMicroseconds / count,
    seconds: (performance.now() - startedAt) / times / 1000,
  };
}

function prepareMemory(sizes: number[]): PreparedCase {
  const graphs = sizes.map(sizedGraph);
  const row = { unit: 'MB', better: 'lower' } as const;
  return {
    contenders: Object.fromEntries(graphs.map(({ title, base }) => [title, () => measureDayProcess(base)])),
    rows: graphs.flatMap(({ title: ours }): BenchRow[] => [
      {
        ...row,
        ours,
        title: `memory of a day of ${ours}: most above the graph, without the figures that are kept`,
        figure: 'peak',
        target: 'none',
      },
      { ...row, ours, title: `memory of a day of ${ours}: the figures that are kept`, figure: 'kept', target: 'none' },
    ]),
    versions: {},
    close: async () => undefined,
  };
}
