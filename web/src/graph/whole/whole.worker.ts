import type { GraphOverview } from '../graph-api.ts';
import { type Places, placeInBands } from './bands.ts';

export type WholeGraph = Omit<GraphOverview, 'relationships' | 'nodes'> & {
  label: Uint16Array;
  name: string[];
  relationships: Uint32Array;
} & Places;
export type FromWorker = { graph: WholeGraph } | { status: number; message: string };

/** Asks, reads and places: megabytes of text and a hundred thousand nodes never touch the page's own thread. */
self.addEventListener('message', ({ data: url }: MessageEvent<string>) => void answer(url));

async function answer(url: string): Promise<void> {
  try {
    const response = await fetch(url, { headers: { accept: 'application/json' } });
    const body = (await response.json()) as GraphOverview & { message?: string }; // what the service documents
    if (!response.ok) return tell({ status: response.status, message: body.message ?? 'The service refused.' });
    const { nodes, relationships, ...rest } = body;
    const { x, y } = placeInBands(rest.labels.length, nodes.label, relationships);
    const label = Uint16Array.from(nodes.label);
    const pairs = Uint32Array.from(relationships);
    tell({ graph: { ...rest, label, name: nodes.name, relationships: pairs, x, y } }, [
      x.buffer,
      y.buffer,
      label.buffer,
      pairs.buffer,
    ]);
  } catch {
    tell({ status: 0, message: 'The service does not answer. Check the connection, then try again.' });
  }
}

function tell(message: FromWorker, transfer: ArrayBuffer[] = []): void {
  self.postMessage(message, { transfer });
}
