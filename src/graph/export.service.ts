import { badRequest } from '../errors.ts';
import type { ExportStore } from './export.store.ts';
import { type ExportedNode, type ExportFormat, exporters } from './export.ts';
import type { GraphService } from './graph.service.ts';
import type { Direction } from './model/graph.ts';

export type ExportService = ReturnType<typeof createExportService>;
export type Neighbourhood = { label: string; name: string; depth: number; directions: Direction[] };

/** More would be a picture that nobody can read, and a list that no database likes. */
const largestNeighbourhood = 10_000;

export function createExportService(deps: {
  store: ExportStore;
  graph: Pick<GraphService, 'query' | 'stream' | 'ensure'>;
}) {
  const { store, graph } = deps;

  async function* write(teamId: string, format: ExportFormat, ids: number[] | null): AsyncGenerator<string> {
    const exporter = exporters[format];
    yield exporter.begin;
    let isFirst = true;
    // Only the few nodes of a neighbourhood are kept: no format of the whole graph asks for their names again.
    const known = new Map<number, ExportedNode>();
    for await (const nodes of store.nodes(teamId, ids)) {
      let text = '';
      for (const node of nodes) {
        if (ids) known.set(node.id, node);
        text += exporter.node(node, isFirst);
        isFirst = false;
      }
      yield text;
    }
    yield exporter.middle;
    isFirst = true;
    for await (const relationships of store.relationships(teamId, ids)) {
      let text = '';
      for (const relationship of relationships) {
        text += exporter.relationship(relationship, isFirst, known);
        isFirst = false;
      }
      yield text;
    }
    yield exporter.end;
  }

  return {
    /** The whole graph, or what lies around one node, as text in pieces. */
    async export(
      teamId: string,
      format: ExportFormat,
      around: Neighbourhood | undefined,
      atLeast: number | undefined,
    ): Promise<AsyncIterable<string | Uint8Array>> {
      // The read model writes this one itself, from one moment in time.
      if (!around && format === 'ndjson') return (await graph.stream(teamId, { kind: 'export' }, atLeast)).chunks;
      if (!around) {
        // Rows are always the newest; only a version that is still to come has to be waited for.
        if (atLeast !== undefined) await graph.ensure(teamId, atLeast);
        return write(teamId, format, null);
      }
      const { value } = await graph.query(
        teamId,
        { kind: 'surroundings', ...around, limit: largestNeighbourhood },
        atLeast,
      );
      if (value === undefined) {
        throw badRequest(
          `More than ${largestNeighbourhood} nodes lie within ${around.depth} steps; ask for a smaller depth, or for the whole graph.`,
        );
      }
      return write(teamId, format, value as number[]); // what this kind of question answers
    },
  };
}
