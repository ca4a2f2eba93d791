import { findLabelId } from './base.ts';
import type { Graph } from './graph.ts';
import { COMMA, JsonWriter } from './json-writer.ts';

export type NodesQuestion = {
  label: string;
  /** Case-sensitive substring of the name. */
  name?: string;
  limit?: number;
  /** Draw without replacement instead of in order; the same seed draws the same. */
  seed?: number;
};

/** The names of a label's nodes as a JSON array of strings. */
export function* nodesChunks(graph: Graph, question: NodesQuestion): Generator<Uint8Array> {
  const ids = listNodes(graph, question);
  const out = new JsonWriter();
  out.byte(0x5b);
  for (let i = 0; i < ids.length; i++) {
    if (i > 0) out.byte(COMMA);
    out.name(graph, ids[i]);
    if (out.isFull) yield out.take();
  }
  out.byte(0x5d);
  yield out.finish();
}

/** Labels that have nodes and how many, in order. */
export function countLabels({ base, overlay }: Graph): Array<{ name: string; nodes_count: number }> {
  const counts = new Map<string, number>();
  for (const [id, label] of base.labels.entries()) counts.set(label, base.labelStart[id + 1] - base.labelStart[id]);
  if (overlay) for (const [label, delta] of overlay.labelDelta) counts.set(label, (counts.get(label) ?? 0) + delta);
  return [...counts]
    .filter(([, count]) => count > 0)
    .map(([name, nodes_count]) => ({ name, nodes_count }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function listNodes(graph: Graph, { label, name, limit = Infinity, seed }: NodesQuestion): Uint32Array {
  const needle = name === undefined || name === '' ? undefined : Buffer.from(name);
  // Drawing needs all candidates; in order, the first `limit` are enough.
  const ids = candidates(graph, label, needle, seed === undefined ? limit : Infinity);
  return seed === undefined ? ids : draw(ids, limit, seed);
}

function candidates(graph: Graph, label: string, needle: Uint8Array | undefined, limit: number): Uint32Array {
  const { base, overlay } = graph;
  const labelId = findLabelId(base, label);
  const start = labelId < 0 ? 0 : base.labelStart[labelId];
  const end = labelId < 0 ? 0 : base.labelStart[labelId + 1];
  if (!needle && !overlay) return base.labelNodes.slice(start, Math.min(end, start + limit));
  const fresh = overlay ? overlay.orderedNodes().filter((node) => node.label === label && !node.isDeleted) : [];
  const found: number[] = [];
  let next = 0;
  for (let i = start; i < end && found.length < limit; i++) {
    const id = base.labelNodes[i];
    for (; next < fresh.length && fresh[next].position <= base.rank[id] && found.length < limit; next++)
      if (!needle || contains(fresh[next].bytes, 0, fresh[next].bytes.length, needle)) found.push(fresh[next].id);
    if (found.length >= limit || overlay?.deleted.has(id)) continue;
    if (!needle || contains(base.names, base.nameStart[id], base.nameStart[id + 1], needle)) found.push(id);
  }
  for (; next < fresh.length && found.length < limit; next++)
    if (!needle || contains(fresh[next].bytes, 0, fresh[next].bytes.length, needle)) found.push(fresh[next].id);
  return Uint32Array.from(found);
}

function contains(bytes: Uint8Array, start: number, end: number, needle: Uint8Array): boolean {
  const last = end - needle.length;
  const first = needle[0];
  for (let i = start; i <= last; i++) {
    if (bytes[i] !== first) continue;
    let matched = 1;
    while (matched < needle.length && bytes[i + matched] === needle[matched]) matched++;
    if (matched === needle.length) return true;
  }
  return false;
}

/** The first steps of a Fisher-Yates shuffle. */
function draw(ids: Uint32Array, limit: number, seed: number): Uint32Array {
  const count = Math.min(ids.length, limit);
  const random = randomFrom(seed);
  for (let i = 0; i < count; i++) {
    const other = i + Math.floor(random() * (ids.length - i));
    const id = ids[i];
    ids[i] = ids[other];
    ids[other] = id;
  }
  return ids.subarray(0, count);
}

/** A Weyl sequence through a mixing function: plenty for drawing names. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}
