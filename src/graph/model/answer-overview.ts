import { countLabels } from './answer-nodes.ts';
import { EXISTS } from './base.ts';
import { type Graph, labelOf, neighbourSide } from './graph.ts';
import { ascii, COMMA, JsonWriter } from './json-writer.ts';

export type OverviewQuestion = { limit: number };

/** Nodes looked at before others are let in. */
const SLICE = 65_536;
/** More lines than this are a grey area on any screen. */
const RELATIONSHIPS_PER_NODE = 2;

/**
 * The whole graph for a drawing: `{version, nodes_count, relationships_count, labels, nodes: {label, name}, relationships}`. A node's
 * `label` is a place in `labels`; relationships are pairs of places in `nodes`, one after the other. Of a graph with more than `limit`
 * nodes it has those with most relationships, and of too many relationships every so-manieth; the counts say so.
 */
export function* overviewChunks(graph: Graph, { limit }: OverviewQuestion): Generator<Uint8Array | undefined> {
  const { base, overlay } = graph;
  const nodesCount = base.nodeCount + sum(overlay?.labelDelta.values() ?? []);
  // Everything that a change could alter is read before the first chunk; what follows only reads names.
  const ids = yield* chooseNodes(graph, nodesCount, limit);
  const places = new Int32Array(overlay?.nextNodeId ?? base.nextNodeId).fill(-1);
  for (let at = 0; at < ids.length; at++) places[ids[at]] = at;
  const relationships = yield* chooseRelationships(graph, ids, places, limit * RELATIONSHIPS_PER_NODE);
  const labels = countLabels(graph).map(({ name }) => name);
  const labelPlaces = new Map(labels.map((label, place) => [label, place]));
  const version = overlay?.version ?? base.version;

  const out = new JsonWriter();
  out.raw(
    ascii(`{"version":${version},"nodes_count":${nodesCount},"relationships_count":${relationships.count},"labels":[`),
  );
  for (const [place, label] of labels.entries()) {
    out.raw(ascii(`${place > 0 ? ',' : ''}"${label}"`));
    if (out.isFull) yield out.take();
  }
  out.raw(ascii('],"nodes":{"label":['));
  for (let at = 0; at < ids.length; at++) {
    if (at > 0) out.byte(COMMA);
    out.number(labelPlaces.get(labelOf(graph, ids[at])) ?? 0);
    if (out.isFull) yield out.take();
  }
  out.raw(ascii('],"name":['));
  for (let at = 0; at < ids.length; at++) {
    if (at > 0) out.byte(COMMA);
    out.name(graph, ids[at]);
    if (out.isFull) yield out.take();
  }
  out.raw(ascii(']},"relationships":['));
  for (let at = 0; at < relationships.pairs.length; at++) {
    if (at > 0) out.byte(COMMA);
    out.number(relationships.pairs[at]);
    if (out.isFull) yield out.take();
  }
  out.raw(ascii(']}'));
  yield out.finish();
}

/** All nodes, or the `limit` with most relationships; in the order of their ids. */
function* chooseNodes(graph: Graph, total: number, limit: number): Generator<undefined, Uint32Array> {
  const chosen = new Uint32Array(Math.min(total, limit));
  const end = graph.overlay?.nextNodeId ?? graph.base.nextNodeId;
  const { least, room } = total <= limit ? { least: 0, room: total } : yield* findLeastDegree(graph, end, limit);
  let count = 0;
  let roomLeft = room;
  for (let id = 0; id < end && count < chosen.length; id++) {
    if (id % SLICE === SLICE - 1) yield;
    if (!isThere(graph, id)) continue;
    const degree = least === 0 ? 0 : degreeOf(graph, id);
    if (degree < least || (degree === least && roomLeft-- <= 0)) continue;
    chosen[count++] = id;
  }
  return chosen;
}

const HIGHEST_DEGREE = 65_535;

/** Those with more relationships than `least` are all chosen, and `room` of those with exactly so many. */
function* findLeastDegree(graph: Graph, end: number, limit: number) {
  const histogram = new Uint32Array(HIGHEST_DEGREE + 1);
  for (let id = 0; id < end; id++) {
    if (id % SLICE === SLICE - 1) yield;
    if (isThere(graph, id)) histogram[degreeOf(graph, id)]++;
  }
  let room = limit;
  let least = HIGHEST_DEGREE;
  while (least > 0 && histogram[least] < room) room -= histogram[least--];
  return { least, room };
}

/** Changed relationships count twice: close enough to choose by. */
function degreeOf({ base, overlay }: Graph, id: number): number {
  let degree = 0;
  if (id < base.nextNodeId)
    degree = base.outStart[id + 1] - base.outStart[id] + base.inStart[id + 1] - base.inStart[id];
  if (overlay && overlay.touched[id] !== 0)
    degree += (overlay.out.get(id)?.size ?? 0) + (overlay.in.get(id)?.size ?? 0);
  return Math.min(degree, HIGHEST_DEGREE);
}

function isThere({ base, overlay }: Graph, id: number): boolean {
  if (id >= base.nextNodeId) return overlay?.added[id - base.nextNodeId]?.isDeleted === false;
  return (base.nodeFlags[id] & EXISTS) !== 0 && !overlay?.deleted.has(id);
}

/** Of the relationships between chosen nodes at most `limit`, taken evenly, and how many there are. */
function* chooseRelationships(
  graph: Graph,
  ids: Uint32Array,
  places: Int32Array,
  limit: number,
): Generator<undefined, { count: number; pairs: Uint32Array }> {
  let count = 0;
  yield* visitRelationships(graph, ids, places, () => count++);
  const kept = Math.min(count, limit);
  const pairs = new Uint32Array(kept * 2);
  let seen = 0;
  let at = 0;
  yield* visitRelationships(graph, ids, places, (source, target) => {
    seen++;
    if (at / 2 >= Math.floor((seen * kept) / count)) return;
    pairs[at++] = source;
    pairs[at++] = target;
  });
  return { count, pairs };
}

function* visitRelationships(
  graph: Graph,
  ids: Uint32Array,
  places: Int32Array,
  visit: (source: number, target: number) => void,
): Generator<undefined> {
  const { base } = graph;
  for (let place = 0; place < ids.length; place++) {
    if (place % SLICE === SLICE - 1) yield;
    const id = ids[place];
    const { starts, nodes, patch } = neighbourSide(graph, id, 'out');
    if (id < base.nextNodeId)
      for (let i = starts[id]; i < starts[id + 1]; i++)
        if (places[nodes[i]] >= 0 && !patch?.has(nodes[i])) visit(place, places[nodes[i]]);
    for (const [target, relationship] of patch ?? [])
      if (relationship !== null && places[target] >= 0) visit(place, places[target]);
  }
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
