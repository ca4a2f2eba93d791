import { basePeriods } from './base.ts';
import { type Direction, type Graph, labelOf, type Neighbour, nameBytesOf, neighbourSide, timesOf } from './graph.ts';
import { mergeByPosition } from './order.ts';
import type { OverlayNode } from './overlay.ts';
import { areBothActiveWithin, type NodeTimes } from './times.ts';

export type NeighboursQuestion = {
  direction: Direction;
  /** First and last second of the day that is looked at. */
  dayFrom: number;
  dayTo: number;
  inactive: boolean;
  neighbourLabel?: string;
  /** At most so many of each label, so that a label with thousands does not hide the others. */
  perLabel?: number;
  skip: number;
  limit: number;
};

export type NeighboursAnswer = {
  groups: Array<{ label: string; count: number }>;
  nodes: Array<{ label: string; name: string; old: boolean; periods: readonly number[] } & NodeTimes>;
};

/** Neighbours of one label that are shown: ranks of those that the base has, and those that came since. */
type Group = { label: string; ranks: number[]; added: OverlayNode[] };

/** Relationships looked at before others are let in. */
const SLICE = 32_768;

/**
 * One page of a node's direct neighbours, by label and then by name, and how many each label has. Only the neighbours of the page become
 * objects: a node may have hundreds of thousands.
 */
export function* listNeighbourPage(
  graph: Graph,
  node: number,
  question: NeighboursQuestion,
): Generator<undefined, NeighboursAnswer> {
  const found = yield* groupShown(graph, node, question);
  const groups = found.toSorted((a, b) => (a.label < b.label ? -1 : 1));
  graph.overlay?.orderedNodes();
  const nodes: NeighboursAnswer['nodes'] = [];
  let skip = question.skip;
  for (const group of groups) {
    if (question.neighbourLabel !== undefined && group.label !== question.neighbourLabel) continue;
    const listed = Math.min(countOf(group), question.perLabel ?? Infinity);
    const upTo = Math.min(listed, skip + question.limit - nodes.length);
    for (const id of pageOf(graph, group, skip, upTo)) nodes.push(describe(graph, node, id, question));
    skip = Math.max(0, skip - listed);
  }
  return { groups: groups.map((group) => ({ label: group.label, count: countOf(group) })), nodes };
}

function* groupShown(graph: Graph, node: number, question: NeighboursQuestion): Generator<undefined, Group[]> {
  const { base, overlay } = graph;
  const { starts, nodes, froms, tos, patch } = neighbourSide(graph, node, question.direction);
  const groups = new Map<string, Group>();
  if (node < base.nextNodeId) {
    for (let i = starts[node], seen = 0; i < starts[node + 1]; i++) {
      if (++seen % SLICE === 0) yield;
      if (patch?.has(nodes[i])) continue;
      if (question.inactive || !isOld(graph, nodes[i], basePeriods(base, froms[i], tos[i]), question))
        groupOf(groups, labelOf(graph, nodes[i])).ranks.push(base.rank[nodes[i]]);
    }
  }
  for (const [id, relationship] of patch ?? []) {
    if (relationship === null || (!question.inactive && isOld(graph, id, relationship.periods, question))) continue;
    const group = groupOf(groups, labelOf(graph, id));
    if (overlay && id >= base.nextNodeId) group.added.push(overlay.addedNode(id));
    else group.ranks.push(base.rank[id]);
  }
  return [...groups.values()];
}

function groupOf(groups: Map<string, Group>, label: string): Group {
  let group = groups.get(label);
  if (!group) {
    group = { label, ranks: [], added: [] };
    groups.set(label, group);
  }
  return group;
}

function pageOf({ base }: Graph, group: Group, skip: number, upTo: number): Uint32Array {
  if (upTo <= skip) return new Uint32Array(0);
  // A typed array sorts numbers without calling anybody.
  const ranks = Uint32Array.from(group.ranks).toSorted();
  return mergeByPosition(base.idByRank, ranks, group.added, skip, upTo);
}

function describe(graph: Graph, node: number, id: number, question: NeighboursQuestion) {
  const { periods } = findNeighbour(graph, node, id, question.direction);
  const { from, to } = timesOf(graph, id);
  return {
    label: labelOf(graph, id),
    name: Buffer.from(nameBytesOf(graph, id)).toString(),
    from,
    to,
    periods,
    old: isOld(graph, id, periods, question),
  };
}

function findNeighbour(graph: Graph, node: number, id: number, direction: Direction): Pick<Neighbour, 'periods'> {
  const { starts, nodes, froms, tos, patch } = neighbourSide(graph, node, direction);
  const changed = patch?.get(id);
  if (changed) return changed;
  // Neighbours stand in ascending order within a row.
  let low = starts[node];
  let high = starts[node + 1] - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (nodes[middle] < id) low = middle + 1;
    else high = middle;
  }
  return { periods: basePeriods(graph.base, froms[low], tos[low]) };
}

function isOld(graph: Graph, id: number, periods: Neighbour['periods'], question: NeighboursQuestion): boolean {
  return !areBothActiveWithin(timesOf(graph, id), periods, question.dayFrom, question.dayTo);
}

const countOf = (group: Group): number => group.ranks.length + group.added.length;
