import type { Periods } from '../periods.ts';
import { type Base, baseNodeTimes, basePeriods, NEEDS_ESCAPE } from './base.ts';
import { type Overlay, type Patch, TOUCHED_IN, TOUCHED_OUT } from './overlay.ts';
import type { NodeTimes } from './times.ts';

/** What a question is asked of: the base, and what changed since if anything did. */
export type Graph = { base: Base; overlay: Overlay | undefined };

export type Neighbour = { node: number; relationship: number; periods: Periods };

/** `out`: what the node depends on; `in`: what depends on it. */
export type Direction = 'out' | 'in';

export function labelOf({ base, overlay }: Graph, id: number): string {
  return overlay && id >= base.nextNodeId ? overlay.addedNode(id).label : base.labels[base.nodeLabel[id]];
}

export function timesOf({ base, overlay }: Graph, id: number): NodeTimes {
  if (!overlay) return baseNodeTimes(base, id);
  return overlay.times.get(id) ?? (id >= base.nextNodeId ? overlay.addedNode(id).times : baseNodeTimes(base, id));
}

export function nameBytesOf({ base, overlay }: Graph, id: number): Uint8Array {
  if (overlay && id >= base.nextNodeId) return overlay.addedNode(id).bytes;
  return base.names.subarray(base.nameStart[id], base.nameStart[id + 1]);
}

export function isEscapeNeeded({ base, overlay }: Graph, id: number): boolean {
  if (overlay && id >= base.nextNodeId) return overlay.addedNode(id).needsEscape;
  return (base.nodeFlags[id] & NEEDS_ESCAPE) !== 0;
}

export function countNeighbours(graph: Graph, node: number, direction: Direction): number {
  const start = direction === 'out' ? graph.base.outStart : graph.base.inStart;
  const patch = findPatch(graph, node, direction);
  if (!patch) return start[node + 1] - start[node];
  return listNeighbours(graph, node, direction).length;
}

/** The base's rows of one direction, and what changed in this node's one. */
export function neighbourSide(graph: Graph, node: number, direction: Direction) {
  const { base } = graph;
  const patch = findPatch(graph, node, direction);
  return direction === 'out'
    ? { starts: base.outStart, nodes: base.outNode, froms: base.outFrom, tos: base.outTo, ids: base.outId, patch }
    : { starts: base.inStart, nodes: base.inNode, froms: base.inFrom, tos: base.inTo, ids: base.inId, patch };
}

export function listNeighbours(graph: Graph, node: number, direction: Direction): Neighbour[] {
  const { base } = graph;
  const { starts, nodes, froms, tos, ids, patch } = neighbourSide(graph, node, direction);
  const neighbours: Neighbour[] = [];
  if (node < base.nextNodeId) {
    for (let i = starts[node]; i < starts[node + 1]; i++) {
      if (patch?.has(nodes[i])) continue;
      neighbours.push({ node: nodes[i], relationship: ids[i], periods: basePeriods(base, froms[i], tos[i]) });
    }
  }
  if (patch) {
    for (const [neighbour, relationship] of patch)
      if (relationship)
        neighbours.push({ node: neighbour, relationship: relationship.id, periods: relationship.periods });
  }
  return neighbours;
}

function findPatch({ overlay }: Graph, node: number, direction: Direction): Patch | undefined {
  if (!overlay) return undefined;
  const isTouched = overlay.touched[node] & (direction === 'out' ? TOUCHED_OUT : TOUCHED_IN);
  if (isTouched === 0) return node >= overlay.base.nextNodeId ? NO_CHANGES : undefined;
  return direction === 'out' ? overlay.out.get(node) : overlay.in.get(node);
}

const NO_CHANGES: Patch = new Map();
