import type { GraphService } from '../graph/graph.service.ts';
import type { RollUpChunk } from './chunk.service.ts';
import { daySeconds } from './day.ts';
import { rowsOf, toFigures } from './figures.ts';
import type { RollUpThread } from './roll-up-thread.ts';

/** What the nodes of a chunk depend on comes from the graph, what is known of that from the database; the thread does the rest. */
export const createRollUpChunk =
  (deps: { graph: Pick<GraphService, 'dependencyTable'>; thread: RollUpThread }): RollUpChunk =>
  async ({ teamId, label, query, fromNode, toNode, dayStart, countsWholeDay, loadFigures }) => {
    const table = await deps.graph.dependencyTable(teamId, {
      label,
      dependencyLabels: query.labels,
      fromNode,
      ...(toNode !== null && { toNode }),
      dayFrom: dayStart,
      dayTo: dayStart + daySeconds - 1,
      wholeDay: countsWholeDay,
      withNames: false,
    });
    const figures = toFigures(await loadFigures(new Set(table.dependency)));
    return rowsOf(await deps.thread.rollUp(table, figures, query)).toArray();
  };
