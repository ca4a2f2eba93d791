import dagre from '@dagrejs/dagre';
import type { Drawing } from './drawing.ts';

export type Direction = 'right' | 'down';
export type Point = { x: number; y: number };
export type Layout = {
  width: number;
  height: number;
  /** The middle of each node, by id. */
  nodes: Map<string, Point>;
  edges: { from: string; to: string; points: Point[] }[];
};

export const nodeSize = { width: 164, height: 60 };
const junctionSize = { width: 8, height: 8 };
const margin = 16;

/** Layers from left to right or from top to bottom, with few crossings. */
export function layOut(drawing: Drawing, direction: Direction): Layout {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({
    rankdir: direction === 'right' ? 'LR' : 'TB',
    nodesep: direction === 'right' ? 20 : 24,
    ranksep: direction === 'right' ? 40 : 44,
    marginx: margin,
    marginy: margin,
  });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id, isJunction } of drawing.nodes) graph.setNode(id, { ...(isJunction ? junctionSize : nodeSize) });
  for (const { from, to } of drawing.edges) graph.setEdge(from, to);
  dagre.layout(graph);
  const nodes = new Map(
    drawing.nodes.map(({ id }): [string, Point] => {
      const { x = 0, y = 0 } = graph.node(id);
      return [id, { x, y }];
    }),
  );
  const junctions = new Set(drawing.nodes.flatMap(({ id, isJunction }) => (isJunction ? [id] : [])));
  const edges = drawing.edges.map(({ from, to }) => {
    const { points } = graph.edge(from, to) as { points: Point[] }; // laid out above
    // Lines leave and arrive in the middle of a side, wherever they come from.
    const inner = points.slice(1, -1);
    const start = sideOf(nodes.get(from) ?? points[0], junctions.has(from), direction, 1);
    const end = sideOf(nodes.get(to) ?? points[0], junctions.has(to), direction, -1);
    return { from, to, points: inner.length > 1 ? [start, ...inner, end] : [start, end] };
  });
  const { width = 0, height = 0 } = graph.graph();
  return { width, height, nodes, edges };
}

function sideOf({ x, y }: Point, isJunction: boolean, direction: Direction, sign: 1 | -1): Point {
  if (isJunction) return { x, y };
  if (direction === 'right') return { x: x + (sign * nodeSize.width) / 2, y };
  return { x, y: y + (sign * nodeSize.height) / 2 };
}

/** A smooth line through the points. */
export function pathOf(points: readonly Point[], direction: Direction): string {
  const [first, ...rest] = points;
  if (!first) return '';
  let path = `M${round(first.x)} ${round(first.y)}`;
  let last = first;
  for (const next of rest) {
    const middle = direction === 'right' ? (last.x + next.x) / 2 : (last.y + next.y) / 2;
    const [a, b] =
      direction === 'right'
        ? [
            { x: middle, y: last.y },
            { x: middle, y: next.y },
          ]
        : [
            { x: last.x, y: middle },
            { x: next.x, y: middle },
          ];
    path += `C${round(a.x)} ${round(a.y)} ${round(b.x)} ${round(b.y)} ${round(next.x)} ${round(next.y)}`;
    last = next;
  }
  return path;
}

const round = (value: number): number => Math.round(value * 10) / 10;
