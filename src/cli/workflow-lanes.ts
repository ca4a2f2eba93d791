import type { GraphNode } from './workflow-nodes.ts';

/**
 * A graph drawn downwards: each node on a line of its own, each arrow that is on its way in a lane of its own.
 *
 *   * A
 *   ├─┐
 *   * │ B
 *   │ * C
 *   ├─┘
 *   * D
 */
export type LaneRow =
  /** `before` and `after`: what stands on the line around the node's mark. */
  { node: GraphNode; before: string; after: string } | { edges: string };

export type LaneDrawing = { rows: LaneRow[] /** Columns. */; width: number };

/** Nothing where the graph needs more lanes than that. */
export function drawLanes(nodes: GraphNode[], mostLanes: number): LaneDrawing | undefined {
  const next = successorsOf(nodes);
  /** Where each lane leads; undefined is free. */
  const lanes: Array<string | undefined> = [];
  const rows: LaneRow[] = [];
  let most = 0;

  for (const node of nodes) {
    const incoming = lanes.flatMap((target, lane) => (target === node.id ? [lane] : []));
    const lane = incoming[0] ?? freeLane(lanes, 0);
    lanes[lane] = node.id;
    if (incoming.length > 1) rows.push({ edges: drawEdges(lanes, lane, incoming.slice(1), '┴', '┘') });
    for (const other of incoming.slice(1)) lanes[other] = undefined;
    most = Math.max(most, lanes.length);
    if (node.taskIds.length > 0) rows.push({ node, ...around(lanes, lane) });

    const [first, ...others] = next.get(node.id) ?? [];
    lanes[lane] = first;
    const opened = others.map((target) => {
      const free = freeLane(lanes, lane + 1);
      lanes[free] = target;
      return free;
    });
    most = Math.max(most, lanes.length);
    if (most > mostLanes) return undefined;
    if (opened.length > 0) rows.push({ edges: drawEdges(lanes, lane, opened, '┬', '┐') });
    while (lanes.length > 0 && lanes.at(-1) === undefined) lanes.pop();
  }
  return { rows, width: Math.max(0, most * 2 - 1) };
}

/** In the order in which they are drawn. */
function successorsOf(nodes: GraphNode[]): Map<string, string[]> {
  const next = new Map<string, string[]>(nodes.map((node) => [node.id, []]));
  for (const { id, previous } of nodes) for (const each of previous) next.get(each)?.push(id);
  return next;
}

function freeLane(lanes: Array<string | undefined>, from: number): number {
  for (let lane = from; lane < lanes.length; lane++) if (lanes[lane] === undefined) return lane;
  return Math.max(from, lanes.length);
}

function around(lanes: Array<string | undefined>, lane: number): { before: string; after: string } {
  const cells = lanes.map((target) => (target === undefined ? ' ' : '│'));
  const before = cells.slice(0, lane).map((cell) => `${cell} `).join(''); // biome-ignore format: one line
  return { before, after: cells.slice(lane + 1).map((cell) => ` ${cell}`).join('').trimEnd() }; // biome-ignore format: one line
}

/** From `lane` to each of `others`, all of them to its right; what lies between and goes elsewhere is crossed. */
function drawEdges(lanes: Array<string | undefined>, lane: number, others: number[], middle: string, end: string) {
  const last = Math.max(...others);
  const cells = lanes.map((target, index) => {
    const isBetween = index > lane && index < last;
    if (index === lane) return '├';
    if (index === last) return end;
    if (others.includes(index)) return middle;
    if (target !== undefined) return '│';
    return isBetween ? '─' : ' ';
  });
  return cells
    .map((cell, index) => `${cell}${index >= lane && index < last ? '─' : ' '}`)
    .join('')
    .trimEnd();
}
