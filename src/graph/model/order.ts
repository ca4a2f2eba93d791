import { findLabelId } from './base.ts';
import type { Graph } from './graph.ts';
import type { OverlayNode } from './overlay.ts';
import type { Scratch } from './scratch.ts';

/** Set on an id in an ordered answer when the node is active; ids stay below 2^31. */
export const ACTIVE_BIT = 0x80000000;

type Wanted = { label?: string; onlyActive: boolean; skip: number; limit: number };

/**
 * The walked nodes (`queue` from 1 to `count`) that are wanted, in (name, label) order, each with its ACTIVE_BIT.
 * Ranks are known, so nothing is compared: few nodes are sorted by rank, many are thrown into a bitmap over all ranks
 * and read off it, which costs a pass over the answer and one over the bitmap.
 */
export function selectInOrder(graph: Graph, scratch: Scratch, queue: Uint32Array, count: number, wanted: Wanted) {
  const { base, overlay } = graph;
  const labelId = wanted.label === undefined ? -1 : findLabelId(base, wanted.label);
  const isLabelUnknown = wanted.label !== undefined && labelId < 0;
  const { rank, nodeLabel, nextNodeId } = base;
  // The ranks are written over the queue itself: the reading position is always ahead.
  let ranked = 0;
  const added: OverlayNode[] = [];
  for (let i = 1; i <= count; i++) {
    const id = queue[i];
    if (wanted.onlyActive && !scratch.isActive(id)) continue;
    if (overlay && id >= nextNodeId) {
      const node = overlay.addedNode(id);
      if (wanted.label === undefined || node.label === wanted.label) added.push(node);
    } else if (!isLabelUnknown && (labelId < 0 || nodeLabel[id] === labelId)) queue[ranked++] = rank[id];
  }
  const upTo = wanted.skip + wanted.limit;
  if (overlay && added.length > 0) overlay.orderedNodes();
  const ordered = orderRanks(scratch, queue, ranked, base.idByRank.length, upTo);
  const page = mergeByPosition(base.idByRank, ordered, added, wanted.skip, upTo);
  for (let i = 0; i < page.length; i++) if (scratch.isActive(page[i])) page[i] |= ACTIVE_BIT;
  return page;
}

/** How many walked nodes have the label. */
export function countOfLabel({ base, overlay }: Graph, queue: Uint32Array, count: number, label: string): number {
  const labelId = findLabelId(base, label);
  let found = 0;
  for (let i = 1; i <= count; i++) {
    const id = queue[i];
    if (overlay && id >= base.nextNodeId) {
      if (overlay.addedNode(id).label === label) found++;
    } else if (base.nodeLabel[id] === labelId) found++;
  }
  return found;
}

/** How many walked nodes each label has, and how many of those are active, by label. */
export function countByLabel({ base, overlay }: Graph, scratch: Scratch, count: number): LabelTotal[] {
  const totals = new Map<string, LabelTotal>();
  const all = new Uint32Array(base.labels.length);
  const active = new Uint32Array(base.labels.length);
  const { queue } = scratch;
  for (let i = 1; i <= count; i++) {
    const id = queue[i];
    if (overlay && id >= base.nextNodeId) addTo(totals, overlay.addedNode(id).label, 1, Number(scratch.isActive(id)));
    else {
      all[base.nodeLabel[id]]++;
      if (scratch.isActive(id)) active[base.nodeLabel[id]]++;
    }
  }
  for (const [id, label] of base.labels.entries()) if (all[id] > 0) addTo(totals, label, all[id], active[id]);
  return [...totals.values()].toSorted((a, b) => (a.label < b.label ? -1 : 1));
}

export type LabelTotal = { label: string; count: number; active: number };

function addTo(totals: Map<string, LabelTotal>, label: string, count: number, active: number): void {
  const total = totals.get(label) ?? { label, count: 0, active: 0 };
  totals.set(label, { label, count: total.count + count, active: total.active + active });
}

/** Clearing and reading a bitmap word for 32 ranks costs so little that only few ranks are quicker to sort. */
const RANKS_PER_SORTED = 2048;

/** The first `upTo` of the ranks in `values[0 … count)`, ascending. They are written over the others. */
export function orderRanks(
  scratch: Scratch,
  values: Uint32Array,
  count: number,
  ranks: number,
  upTo: number,
): Uint32Array {
  const left = count > upTo ? keepLowest(values, count, ranks, upTo) : count;
  const wanted = Math.min(left, upTo);
  // oxlint-disable-next-line unicorn/no-array-sort -- in place is the point
  if (left * RANKS_PER_SORTED < ranks) return values.subarray(0, left).sort().subarray(0, wanted);
  const bits = scratch.reserveRankBits(ranks);
  for (let i = 0; i < left; i++) bits[values[i] >>> 5] |= 1 << (values[i] & 31);
  const words = (ranks + 31) >>> 5;
  let found = 0;
  for (let word = 0; word < words && found < wanted; word++) {
    for (let rest = bits[word]; rest !== 0 && found < wanted; rest &= rest - 1)
      values[found++] = (word << 5) | (31 - Math.clz32(rest & -rest));
  }
  bits.fill(0, 0, words);
  return values.subarray(0, found);
}

const BUCKETS = 1024;
const buckets = new Uint32Array(BUCKETS);

/** A first page needs few of many ranks: moves the lowest to the front, `upTo` and a few more, and answers how many they are. */
function keepLowest(values: Uint32Array, count: number, ranks: number, upTo: number): number {
  const shift = Math.max(0, 32 - Math.clz32(ranks) - Math.log2(BUCKETS));
  buckets.fill(0);
  for (let i = 0; i < count; i++) buckets[values[i] >>> shift]++;
  let last = 0;
  for (let found = buckets[0]; found < upTo; found += buckets[last]) last++;
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const value = values[i];
    values[kept] = value;
    kept = (kept + Number(value >>> shift <= last)) | 0; // without a branch, as in the walks
  }
  return kept;
}

/** Ranks in order and what came since the base, as one order of ids; `skip` to `upTo` of it. */
export function mergeByPosition(
  idByRank: Uint32Array,
  ordered: Uint32Array,
  added: OverlayNode[],
  skip: number,
  upTo: number,
): Uint32Array {
  const fresh = added.length > 1 ? added.toSorted((a, b) => a.order - b.order) : added;
  const total = Math.min(ordered.length + fresh.length, upTo);
  const page = new Uint32Array(Math.max(0, total - skip));
  for (let at = 0, i = 0, j = 0; at < total; at++) {
    const isFresh = j < fresh.length && (i >= ordered.length || fresh[j].position <= ordered[i]);
    const id = isFresh ? fresh[j++].id : idByRank[ordered[i++]];
    if (at >= skip) page[at - skip] = id;
  }
  return page;
}
