import type { Base } from '../../src/graph/model/base.ts';
import { type DependencyTable, decodeTable } from '../../src/graph/model/dependency-table.ts';
import { createScratchPool, type GraphQuery, type QueryOutcome, runQuery } from '../../src/graph/model/query.ts';
import { type FigureRow, toFigures } from '../../src/qos/figures.ts';
import { type RollUpQuery, rollUp } from '../../src/qos/roll-up.ts';
import { DAY_SECONDS } from '../../src/qos/states.ts';
import { encodeTimeline } from '../../src/qos/timeline-bytes.ts';
import { DAY_START, type LeafDay } from './leaf-days.ts';
import { StoredFigures } from './stored-figures.ts';

/** Labels with a rule: their nodes have a day of their own. Everything above is computed from everything below it. */
const LEAVES = ['Datacenter', 'Rack', 'Server'];
const OPERATORS = [
  ['Machine', { kind: 'operation', operator: 'AND' }],
  ['Database', { kind: 'operation', operator: 'OR' }],
  ['Service', { kind: 'operation', operator: 'AND' }],
  ['App', { kind: 'operation', operator: 'ATLEAST', threshold: 2 }],
  ['Website', { kind: 'operation', operator: 'RATIO', threshold: 0.5 }],
  ['Customer', { kind: 'aggregation', operator: 'AVERAGE' }],
] as const;

export const QUERIES: Array<{ label: string; query: RollUpQuery }> = OPERATORS.map(([label, operator], i) => ({
  label,
  query: { ...operator, labels: [...LEAVES, ...OPERATORS.slice(0, i).map(([lower]) => lower)] },
}));

const nodesPerChunk = 20_000;

/** A day of all nodes, label by label and chunk by chunk, by the code that the service runs; figures are kept in memory instead of rows. */
export function computeDay(base: Base, leafDays: LeafDay[]): StoredFigures {
  const stored = new StoredFigures(base.nextNodeId);
  storeLeaves(base, leafDays, stored);
  for (const { label, query } of QUERIES) {
    const starts = cut(base, label);
    for (const [i, fromNode] of starts.entries()) {
      const table = tableOf(base, label, query, fromNode, starts[i + 1]);
      stored.add(rollUp(table, toFigures(stored.rowsFor(table.dependency)), query));
    }
  }
  return stored;
}

export function tableOf(
  base: Base,
  label: string,
  query: RollUpQuery,
  fromNode: number,
  toNode: number | undefined,
): DependencyTable {
  const dayTo = DAY_START + DAY_SECONDS;
  const range = { fromNode, toNode, dayFrom: DAY_START, dayTo, wholeDay: false, withNames: false };
  const { bytes } = ask(base, { kind: 'dependencyTable', label, dependencyLabels: query.labels, ...range });
  return decodeTable(bytes);
}

/** The first id of every chunk of the label. */
export function cut(base: Base, label: string): number[] {
  return ask(base, { kind: 'labelChunks', label, every: nodesPerChunk }).outcome.value as number[]; // what this kind answers
}

/** As the fetching of their checks would leave it: a node has one of the days. */
function storeLeaves(base: Base, leafDays: LeafDay[], stored: StoredFigures): void {
  const days = leafDays.map(({ timeline, value }) => ({ value, coverage: 100, timeline: encodeTimeline(timeline) }));
  const isLeaf = Uint8Array.from(base.labels, (label) => Number(LEAVES.includes(label)));
  const rows: FigureRow[] = [];
  for (let id = 0; id < base.nextNodeId; id++) {
    if (isLeaf[base.nodeLabel[id]] === 1)
      rows.push({ id, ...days[(Math.imul(id, 2_654_435_761) >>> 0) % days.length] });
  }
  stored.add(toFigures(rows));
}

const pool = createScratchPool();

function ask(base: Base, query: GraphQuery): { outcome: QueryOutcome; bytes: Uint8Array } {
  const steps = runQuery({ base, overlay: undefined }, pool, query);
  let bytes = new Uint8Array(0);
  for (;;) {
    const step = steps.next();
    if (step.done) return { outcome: step.value, bytes };
    if (step.value) bytes = new Uint8Array(step.value);
  }
}
