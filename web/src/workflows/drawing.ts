import type { InstanceTask, PlanItemView } from '../../../src/workflows/workflows.schemas.ts';

/** A graph to be drawn: who it is, and what it follows. Junctions are dots that stand for many lines. */
export type DrawnNode = { id: string; isJunction: boolean };
export type DrawnEdge = { from: string; to: string };
export type Drawing = { nodes: DrawnNode[]; edges: DrawnEdge[] };

/** More than this is no picture any more; a list says it better. */
export const maxDrawn = 500;

type Step = { id: string; previous: string[] };

export const drawingOfPlan = (items: readonly PlanItemView[]): Drawing =>
  drawingOf(items.map(({ previous }, place) => ({ id: String(place), previous: previous.map(String) })));

/** Hooks run beside the others, and the elements of a foreach are shown inside it. */
export const drawingOfTasks = (tasks: readonly InstanceTask[]): Drawing =>
  drawingOf(tasks.filter((task) => !task.is_hook && task.parent === null));

/**
 * A group that follows a group would be a line from everyone to everyone. A junction says the same with one line each:
 *
 *   A ─┬─▶ C          A ─╮  ╭─▶ C
 *      ╳       is      ●          where both C and D follow A and B
 *   B ─┴─▶ D          B ─╯  ╰─▶ D
 */
function drawingOf(steps: readonly Step[]): Drawing {
  const nodes: DrawnNode[] = steps.map(({ id }) => ({ id, isJunction: false }));
  const known = new Set(nodes.map(({ id }) => id));
  const edges: DrawnEdge[] = [];
  const alike = Map.groupBy(steps, ({ previous }) => previous.toSorted().join(' '));
  for (const group of alike.values()) {
    const previous = group[0].previous.filter((id) => known.has(id));
    if (previous.length < 2 || group.length < 2) {
      for (const { id } of group) edges.push(...previous.map((from) => ({ from, to: id })));
      continue;
    }
    const junction = `junction of ${group[0].id}`;
    nodes.push({ id: junction, isJunction: true });
    edges.push(...previous.map((from) => ({ from, to: junction })));
    edges.push(...group.map(({ id }) => ({ from: junction, to: id })));
  }
  return { nodes, edges };
}
