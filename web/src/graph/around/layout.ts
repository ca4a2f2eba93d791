import { Graph, layout as layOut } from '@dagrejs/dagre';

export type LayoutQuestion = {
  nodes: { key: string; width: number; height: number }[];
  edges: { key: string; from: string; to: string }[];
};
export type Point = { x: number; y: number };
export type Layout = {
  width: number;
  height: number;
  /** Middles of the nodes. */
  nodes: Record<string, Point>;
  edges: Record<string, Point[]>;
};

/** Layers from left to right: what depends stands left of what it depends on. */
export function layOutLayers({ nodes, edges }: LayoutQuestion): Layout {
  const graph = new Graph({ multigraph: false });
  graph.setGraph({ rankdir: 'LR', nodesep: 12, ranksep: 60, edgesep: 8, marginx: 16, marginy: 16 });
  graph.setDefaultEdgeLabel(() => ({}));
  // Dagre puts what comes first at the bottom.
  for (const { key, width, height } of nodes.toReversed()) graph.setNode(key, { width, height });
  for (const { key, from, to } of edges.toReversed()) if (from !== to) graph.setEdge(from, to, { key });
  layOut(graph);
  const { width = 0, height = 0 } = graph.graph();
  const placed: Layout = { width, height, nodes: {}, edges: {} };
  for (const key of graph.nodes()) {
    const { x, y } = graph.node(key);
    placed.nodes[key] = { x, y };
  }
  for (const edge of graph.edges()) {
    const { key, points } = graph.edge(edge) as { key: string; points: Point[] }; // what was set above, and what dagre adds
    placed.edges[key] = points.map(({ x, y }) => ({ x, y }));
  }
  return placed;
}
