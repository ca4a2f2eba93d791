import { type Facts, factsOf, type Periods } from '../periods.ts';
import { equalBytes, hashName } from './name-bytes.ts';
import { ELSEWHERE, inlinePeriods, type NodeTimes, OPEN } from './times.ts';

/**
 * One team's graph at one version, immutable, in shared memory. A node id and a relationship id are array indices;
 * ids of deleted things stay holes.
 *
 *   out  source → target   "depends on"     row of node n: outStart[n] … outStart[n + 1]
 *   in   target → source   "impacts"        neighbours ascending by id within a row
 */
export type Base = {
  version: number;
  /** Ids below these were given away once; the next new node and relationship take them. */
  nextNodeId: number;
  nextRelationshipId: number;
  nodeCount: number;
  relationshipCount: number;
  labels: string[];

  /** Raw UTF-8, all names one after the other in id order. */
  names: Uint8Array;
  nameStart: Uint32Array;
  nodeLabel: Uint32Array;
  nodeFlags: Uint8Array;
  nodeFrom: Uint32Array;
  nodeTo: Uint32Array;
  /** Rows of `from`, `to` for node times beyond 32 bits; NaN is null. */
  wideNodeTimes: Float64Array;
  /** Position in (name, label) order and back. */
  rank: Uint32Array;
  idByRank: Uint32Array;
  /** Nodes of label l in name order: labelNodes[labelStart[l]] … */
  labelStart: Uint32Array;
  labelNodes: Uint32Array;
  /** Open addressing, id + 1, zero is free. */
  nameTable: Uint32Array;

  outStart: Uint32Array;
  outNode: Uint32Array;
  outFrom: Uint32Array;
  outTo: Uint32Array;
  outId: Uint32Array;
  inStart: Uint32Array;
  inNode: Uint32Array;
  inFrom: Uint32Array;
  inTo: Uint32Array;
  inId: Uint32Array;

  /** A bit per relationship: its [from, to] was said as two messages, an opening and a closing, not as a span. */
  saidApart: Uint8Array;
  /** Relationships whose facts do not follow from their inline times; ascending ids, row i is sideFactsStart[i] … */
  sideIds: Uint32Array;
  sideFactsStart: Uint32Array;
  sideFacts: Float64Array;
  /** Filled only where the periods do not fit inline. */
  sidePeriodsStart: Uint32Array;
  sidePeriods: Float64Array;
};

export const EXISTS = 1;
export const NEEDS_ESCAPE = 2;
export const HAS_FROM = 4;

export function baseBytes(base: Base): number {
  let bytes = 0;
  for (const value of Object.values(base)) if (ArrayBuffer.isView(value)) bytes += value.byteLength;
  return bytes;
}

/** The label's number in this base, or -1. */
export function findLabelId(base: Base, label: string): number {
  let ids = labelIds.get(base);
  if (!ids) {
    ids = new Map(base.labels.map((known, id) => [known, id]));
    labelIds.set(base, ids);
  }
  return ids.get(label) ?? -1;
}

const labelIds = new WeakMap<Base, Map<string, number>>();

/** The id of the node, or -1. `name` is raw UTF-8. */
export function findBaseNode(
  base: Base,
  labelId: number,
  name: Uint8Array,
  start: number,
  end: number,
  hash = hashName(name, start, end, labelId),
): number {
  if (labelId < 0) return -1;
  const { nameTable, nodeLabel, nameStart, names } = base;
  const mask = nameTable.length - 1;
  for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
    const id = nameTable[slot] - 1;
    if (id < 0) return -1;
    if (nodeLabel[id] === labelId && equalBytes(names, nameStart[id], nameStart[id + 1], name, start, end)) return id;
  }
}

export function baseNodeTimes(base: Base, id: number): NodeTimes {
  const from = base.nodeFrom[id];
  const to = base.nodeTo[id];
  if (from === ELSEWHERE) {
    const wideFrom = base.wideNodeTimes[to * 2];
    const wideTo = base.wideNodeTimes[to * 2 + 1];
    return { from: Number.isNaN(wideFrom) ? null : wideFrom, to: Number.isNaN(wideTo) ? null : wideTo };
  }
  return { from: (base.nodeFlags[id] & HAS_FROM) === 0 ? null : from, to: to === OPEN ? null : to };
}

/** Where in the row of `source` the relationship to `target` stands, or -1. */
export function findOutEdge(base: Base, source: number, target: number): number {
  if (source + 1 >= base.outStart.length) return -1;
  let low = base.outStart[source];
  let high = base.outStart[source + 1] - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const node = base.outNode[middle];
    if (node === target) return middle;
    if (node < target) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

export function basePeriods(base: Base, from: number, to: number): Periods {
  return from === ELSEWHERE ? sidePeriods(base, to) : inlinePeriods(from, to);
}

export function isSideActiveAt(base: Base, row: number, ts: number): boolean {
  const end = base.sidePeriodsStart[row + 1];
  for (let i = base.sidePeriodsStart[row]; i < end; i += 2) {
    if (base.sidePeriods[i] > ts) return false;
    if (i + 1 === end || base.sidePeriods[i + 1] >= ts) return true;
  }
  return false;
}

export function baseFacts(base: Base, id: number, from: number, to: number): Facts {
  const row = findSideRow(base, id);
  if (row >= 0) return Array.from(base.sideFacts.subarray(base.sideFactsStart[row], base.sideFactsStart[row + 1]));
  if (to === OPEN) return from === 0 ? factsOf(undefined) : factsOf({ from });
  const isApart = (base.saidApart[id >>> 3] & (1 << (id & 7))) !== 0;
  return isApart ? [-to - 1, from] : factsOf({ from, to });
}

function sidePeriods(base: Base, row: number): Periods {
  return Array.from(base.sidePeriods.subarray(base.sidePeriodsStart[row], base.sidePeriodsStart[row + 1]));
}

function findSideRow(base: Base, id: number): number {
  let low = 0;
  let high = base.sideIds.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = base.sideIds[middle];
    if (found === id) return middle;
    if (found < id) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
