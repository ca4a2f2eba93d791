import { type Base, baseFacts, baseNodeTimes, EXISTS } from './base.ts';
import { BaseBuilder } from './base-builder.ts';
import { rankLabels } from './base-names.ts';
import { compareBytes } from './name-bytes.ts';
import { sortByName } from './name-order.ts';
import { Recent } from './recent.ts';
import type { RecentNodes } from './recent-nodes.ts';
import { applyPayload } from './recent-payload.ts';
import { ELSEWHERE, OPEN } from './times.ts';

export type RebuildPolicy = {
  /** Changes that may always lie on a base while more of them arrive. */
  minChanges: number;
  /** Beyond that, the share of the base they may grow to: a bulk load rebuilds a logarithmic number of times. */
  share: number;
  /** And where memory per thread ends that. As long as nobody asks, no thread decodes them, and only this counts. */
  maxChanges: number;
  /** When no change came for so long, fewer are reason enough: the next question should not have to apply them. */
  idleMs: number;
  minIdleChanges: number;
  idleShare: number;
};

export const DEFAULT_REBUILD_POLICY: RebuildPolicy = {
  minChanges: 250_000,
  share: 0.5,
  maxChanges: 1_000_000,
  idleMs: 300,
  minIdleChanges: 5_000,
  idleShare: 0.02,
};

export function isRebuildDue(
  { base, changes, isAsked }: { base: Base; changes: number; isAsked: boolean },
  { minChanges, share, maxChanges }: RebuildPolicy,
): boolean {
  const bearable = isAsked ? Math.min(sizeOf(base) * share, maxChanges) : maxChanges;
  return changes > Math.max(minChanges, bearable);
}

export function isIdleRebuildDue(base: Base, changes: number, policy: RebuildPolicy): boolean {
  return changes > Math.max(policy.minIdleChanges, sizeOf(base) * policy.idleShare);
}

function sizeOf(base: Base): number {
  return base.nodeCount + base.relationshipCount;
}

/** The base with the payloads applied, as a new base. */
export function rebuild(base: Base, payloads: Uint8Array[]): Base {
  const recent = new Recent(base);
  for (const payload of payloads) applyPayload(recent, payload);
  const builder = new BaseBuilder();
  for (const label of recent.labels.labels) builder.labelId(label);
  const order = addNodes(builder, recent);
  addRelationships(builder, recent);
  const { version, nextNodeId, nextRelationshipId } = recent;
  return builder.finish({ version, nextNodeId, nextRelationshipId }, order);
}

/** Answers the ids of all nodes in (name, label) order. */
function addNodes(builder: BaseBuilder, { base, nodes, labels }: Recent): Uint32Array {
  /** Nodes of the base whose name has a row: what the row says counts. */
  const isReplaced = new Uint8Array(base.nextNodeId);
  const rows = new Uint32Array(nodes.count);
  let rowCount = 0;
  for (let row = 0; row < nodes.count; row++) {
    const start = nodes.nameStart[row];
    const end = nodes.nameStart[row + 1];
    const old = nodes.findInBase(nodes.label[row], nodes.hash[row], nodes.names.bytes, start, end);
    if (old >= 0) isReplaced[old] = 1;
    if (nodes.isDeleted[row] === 0) rows[rowCount++] = row;
  }
  for (let id = 0; id < base.nextNodeId; id++) {
    if ((base.nodeFlags[id] & EXISTS) === 0 || isReplaced[id] !== 0) continue;
    const { from, to } = baseNodeTimes(base, id);
    builder.addNode(id, base.nodeLabel[id], base.names, base.nameStart[id], base.nameStart[id + 1], from, to);
  }
  const live = rows.subarray(0, rowCount);
  for (const row of live) {
    const [from, to] = [nodes.from[row], nodes.to[row]].map((time) => (Number.isNaN(time) ? null : time));
    const start = nodes.nameStart[row];
    builder.addNode(nodes.id[row], nodes.label[row], nodes.names.bytes, start, nodes.nameStart[row + 1], from, to);
  }
  return mergeOrder(base, isReplaced, nodes, labels.labels, live);
}

/** Two ordered lists into one: the names of the base need no sorting again. */
function mergeOrder(base: Base, isReplaced: Uint8Array, nodes: RecentNodes, labels: string[], rows: Uint32Array) {
  const labelRank = rankLabels(labels);
  const names = nodes.names.bytes;
  sortByName(rows, names, nodes.nameStart, (row) => labelRank[nodes.label[row]]);
  const order = new Uint32Array(base.idByRank.length + rows.length);
  let at = 0;
  let rank = 0;
  const takeBase = (upTo: number) => {
    for (; rank < upTo; rank++) if (isReplaced[base.idByRank[rank]] === 0) order[at++] = base.idByRank[rank];
  };
  for (const row of rows) {
    let low = rank;
    let high = base.idByRank.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const id = base.idByRank[middle];
      const [start, end] = [nodes.nameStart[row], nodes.nameStart[row + 1]];
      let difference = compareBytes(base.names, base.nameStart[id], base.nameStart[id + 1], names, start, end);
      if (difference === 0) difference = labelRank[base.nodeLabel[id]] - labelRank[nodes.label[row]];
      if (difference < 0) low = middle + 1;
      else high = middle;
    }
    takeBase(low);
    order[at++] = nodes.id[row];
  }
  takeBase(base.idByRank.length);
  return order.subarray(0, at);
}

function addRelationships(builder: BaseBuilder, { base, relationships }: Recent): void {
  const { outStart, outNode, outFrom, outTo, outId, sideIds, saidApart } = base;
  const side = new Set(sideIds);
  const isTouched = new Uint8Array(base.nextNodeId);
  for (let row = 0; row < relationships.count; row++)
    if (relationships.source[row] < base.nextNodeId) isTouched[relationships.source[row]] = 1;
  for (let source = 0; source < base.nextNodeId; source++) {
    for (let at = outStart[source]; at < outStart[source + 1]; at++) {
      if (isTouched[source] !== 0 && relationships.find(source, outNode[at]) >= 0) continue;
      const id = outId[at];
      const from = outFrom[at];
      const to = outTo[at];
      if (from === ELSEWHERE || side.has(id))
        builder.addRelationship(id, source, outNode[at], baseFacts(base, id, from, to));
      else {
        const isApart = to !== OPEN && (saidApart[id >>> 3] & (1 << (id & 7))) !== 0;
        builder.addInline(id, source, outNode[at], from, to, isApart);
      }
    }
  }
  for (let row = 0; row < relationships.count; row++) {
    if (relationships.isDeleted[row] !== 0) continue;
    const { id, source, target } = relationships;
    builder.addRelationship(id[row], source[row], target[row], relationships.factsOf(row));
  }
}
