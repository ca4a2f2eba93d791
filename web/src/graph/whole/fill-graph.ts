import { DirectedGraph } from 'graphology';
import type { WholeGraph } from './whole.worker.ts';

export type Look = { colors: string[]; line: string };

/** Added before the page is let in again: some milliseconds. */
const portion = 5000;

/** The graph as sigma wants it, made in portions so that the page keeps answering; undefined when it was not wanted any more. */
export async function fillGraph(
  whole: WholeGraph,
  look: Look,
  signal: AbortSignal,
  onProgress: (share: number) => void,
): Promise<DirectedGraph | undefined> {
  const graph = new DirectedGraph();
  const degree = new Uint32Array(whole.name.length);
  for (const end of whole.relationships) degree[end] = (degree[end] ?? 0) + 1;
  const size = baseSize(whole);
  const nodes = whole.name.length;
  const relationships = whole.relationships.length / 2;
  for (let at = 0; at < nodes + relationships; at++) {
    if (at % portion === portion - 1) {
      onProgress(at / (nodes + relationships));
      await nextFrame();
      if (signal.aborted) return undefined;
    }
    if (at < nodes) {
      const label = whole.label[at] ?? 0;
      graph.addNode(at, {
        x: whole.x[at],
        y: whole.y[at],
        size: size * (1 + Math.min(1.5, Math.log2(1 + (degree[at] ?? 0)) / 8)),
        color: look.colors[label],
        label: whole.name[at],
        sort: label,
      });
    } else {
      const i = (at - nodes) * 2;
      const [source, target] = [whole.relationships[i] ?? 0, whole.relationships[i + 1] ?? 0];
      if (source !== target) graph.mergeEdge(source, target, { color: look.line, size: 0.5 });
    }
  }
  return graph;
}

/** In pixels: a little less than half the distance between neighbours on a common screen. */
function baseSize({ x }: WholeGraph): number {
  let width = 1;
  for (const at of x) width = Math.max(width, at);
  return Math.min(6, Math.max(0.6, (900 / width) * 0.4));
}

const nextFrame = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
