import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeRows, relationshipRows } from '../../src/graph/model/copy-writer.ts';
import { factsOf } from '../../src/graph/periods.ts';
import { relOf } from './graph-rows.ts';
import { type LayeredGraph, nameOf } from './layered-graph.ts';

const rowsPerFile = 50_000;

/**
 * The rows that the messages of `message-file.ts` lead to, ids included, encoded for binary COPY: each file one statement's worth, its ending the
 * table's name.
 */
export async function writeCopyFiles(
  directory: string,
  graph: LayeredGraph,
  teamId: string,
  count = graph.source.length,
): Promise<void> {
  await mkdir(directory, { recursive: true });
  const seen = new Map<number, number>();
  const idOf = (node: number): number => {
    let id = seen.get(node);
    if (id === undefined) {
      id = seen.size;
      seen.set(node, id);
    }
    return id;
  };
  const relationships = Array.from({ length: count }, (_, edge) => ({
    id: edge,
    source: idOf(graph.source[edge]),
    target: idOf(graph.target[edge]),
    facts: factsOf(relOf(graph, edge)),
  }));
  const nodes = [...seen].map(([node, id]) => {
    const label = graph.labels[graph.nodeLabel[node]];
    return { id, label, name: nameOf(graph, node), from: null, to: null };
  });
  const place = (part: number, table: string) => join(directory, `${String(part).padStart(3, '0')}.${table}`);
  for (const [part, rows] of portions(nodes)) await writeFile(place(part, 'nodes'), nodeRows(teamId, rows));
  for (const [part, rows] of portions(relationships)) {
    await writeFile(place(part, 'relationships'), relationshipRows(teamId, rows));
  }
}

const portions = <Row>(rows: Row[]): [part: number, rows: Row[]][] =>
  Array.from({ length: Math.ceil(rows.length / rowsPerFile) }, (_, part) => [
    part,
    rows.slice(part * rowsPerFile, (part + 1) * rowsPerFile),
  ]);
