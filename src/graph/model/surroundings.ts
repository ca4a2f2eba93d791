import { type Direction, type Graph, listNeighbours } from './graph.ts';

export type SurroundingsQuestion = { depth: number; directions: Direction[]; limit: number };

/** Ids of all nodes within `depth` steps, the node itself first; undefined when there are more than `limit`. */
export function* findSurroundings(
  graph: Graph,
  node: number,
  question: SurroundingsQuestion,
): Generator<undefined, number[] | undefined> {
  const found = new Set([node]);
  let frontier = [node];
  for (let step = 0; step < question.depth && frontier.length > 0; step++) {
    const next: number[] = [];
    for (const id of frontier) {
      for (const direction of question.directions) {
        for (const neighbour of listNeighbours(graph, id, direction)) {
          if (found.has(neighbour.node)) continue;
          found.add(neighbour.node);
          next.push(neighbour.node);
        }
      }
      if (found.size > question.limit) return undefined;
      yield undefined;
    }
    frontier = next;
  }
  return [...found];
}
