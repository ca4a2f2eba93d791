import { EXISTS } from './base.ts';
import { type Graph, labelOf, nameBytesOf } from './graph.ts';

export type SearchQuestion = {
  /** Part of a name; ASCII letters match in either case. */
  text: string;
  limit: number;
};

export type SearchAnswer = { nodes: Array<{ label: string; name: string }>; more: boolean };

/** Names looked at before others are let in: two milliseconds at most. */
const SLICE_NODES = 16_384;

/**
 * Nodes of any label whose name contains the text: those that are it, then those that begin with it, then the others, each in order. Every
 * name is looked at, because the best one may be the last, but only as many as are wanted are kept.
 */
export function* searchNodes(graph: Graph, { text, limit }: SearchQuestion): Generator<undefined, SearchAnswer> {
  // Half a character would become another one when written as bytes.
  if (!text.isWellFormed()) return { nodes: [], more: false };
  const needle = Buffer.from(text).map((byte) => FOLDED[byte]);
  // One more than wanted tells whether there are more.
  const best = new Best(limit + 1);
  const { base, overlay } = graph;
  for (let from = 0; from < base.nextNodeId; from += SLICE_NODES) {
    if (from > 0) yield;
    searchBase(graph, needle, from, Math.min(from + SLICE_NODES, base.nextNodeId), best);
  }
  for (const node of overlay?.orderedNodes() ?? []) {
    const at = node.isDeleted ? -1 : indexOfFolded(node.bytes, 0, node.bytes.length, needle);
    if (at >= 0) best.offer(node.id, kindOf(at, node.bytes.length, needle), node.position - 0.5, node.order);
  }
  const nodes = best.ids(limit).map((id) => ({
    label: labelOf(graph, id),
    name: Buffer.from(nameBytesOf(graph, id)).toString(),
  }));
  return { nodes, more: best.size > limit };
}

function searchBase({ base, overlay }: Graph, needle: Uint8Array, from: number, to: number, best: Best): void {
  const { names, nameStart, nodeFlags, rank } = base;
  for (let id = from; id < to; id++) {
    const start = nameStart[id];
    const at = indexOfFolded(names, start, nameStart[id + 1], needle);
    if (at < 0 || (nodeFlags[id] & EXISTS) === 0 || overlay?.deleted.has(id)) continue;
    best.offer(id, kindOf(at - start, nameStart[id + 1] - start, needle), rank[id], 0);
  }
}

/** 0: the whole name, 1: its beginning, 2: something in it. */
function kindOf(at: number, length: number, needle: Uint8Array): number {
  if (at > 0) return 2;
  return length === needle.length ? 0 : 1;
}

function indexOfFolded(bytes: Uint8Array, start: number, end: number, needle: Uint8Array): number {
  const { length } = needle;
  if (length === 0) return start;
  const last = end - length;
  const first = needle[0];
  // Two compares are quicker than a look into the table for each byte of each name.
  const capital = first >= 0x61 && first <= 0x7a ? first - 0x20 : first;
  for (let i = start; i <= last; i++) {
    if (bytes[i] !== first && bytes[i] !== capital) continue;
    let matched = 1;
    while (matched < length && FOLDED[bytes[i + matched]] === needle[matched]) matched++;
    if (matched === length) return i;
  }
  return -1;
}

const FOLDED = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte));

type Candidate = { id: number; key: number; order: number };
/** Ranks stay below 2^31. */
const KIND = 2 ** 32;

/** The best few of many, in order. */
class Best {
  readonly #most: number;
  readonly #kept: Candidate[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#kept.length;
  }

  ids(limit: number): number[] {
    return this.#kept.slice(0, limit).map(({ id }) => id);
  }

  offer(id: number, kind: number, rank: number, order: number): void {
    const kept = this.#kept;
    const key = kind * KIND + rank;
    const isFull = kept.length === this.#most;
    if (isFull && !comesBefore(key, order, kept[kept.length - 1])) return;
    let at = isFull ? kept.length - 1 : kept.length;
    while (at > 0 && comesBefore(key, order, kept[at - 1])) at--;
    if (isFull) kept.pop();
    kept.splice(at, 0, { id, key, order });
  }
}

function comesBefore(key: number, order: number, other: Candidate): boolean {
  return key < other.key || (key === other.key && order < other.order);
}
