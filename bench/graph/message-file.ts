import { open } from 'node:fs/promises';
import { relOf } from './graph-rows.ts';
import { type LayeredGraph, nameOf } from './layered-graph.ts';

const linesPerWrite = 20_000;

/** NDJSON as a client would post it: one message for each of the first so many relationships. */
export async function writeMessages(path: string, graph: LayeredGraph, count = graph.source.length): Promise<void> {
  const file = await open(path, 'w');
  try {
    for (let start = 0; start < count; start += linesPerWrite) {
      const length = Math.min(linesPerWrite, count - start);
      await file.write(Array.from({ length }, (_, i) => message(graph, start + i)).join(''));
    }
  } finally {
    await file.close();
  }
}

function message(graph: LayeredGraph, edge: number): string {
  const node = (id: number) => ({ label: graph.labels[graph.nodeLabel[id]], name: nameOf(graph, id) });
  const { source, target } = graph;
  return `${JSON.stringify({ source: node(source[edge]), target: node(target[edge]), rel: relOf(graph, edge) })}\n`;
}
