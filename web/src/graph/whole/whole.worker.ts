import type { GraphOverview } from '../graph-api.ts';
import { type Places, placeInBands } from './bands.ts';

export type WholeGraph = Omit<GraphOverview, 'relationships' | 'nodes'> & {
  label: Uint16Array<ArrayBuffer>;
  name: string[];
  relationships: Uint32Array<ArrayBuffer>;
  /** How connected each node is, from 0 to 255. */
  size: Uint8Array<ArrayBuffer>;
  /** The most connected nodes of each label, the most connected first. */
  known: Uint32Array<ArrayBuffer>;
} & Places;
const knownPerLabel = 40;

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
    const pairs = mix(Uint32Array.from(relationships));
    const size = sizesOf(label.length, pairs);
    const known = mostConnected(rest.labels.length, label, size);
    tell({ graph: { ...rest, label, name: nodes.name, relationships: pairs, size, known, x, y } }, [
      size.buffer,
      known.buffer,
      x.buffer,
      y.buffer,
      label.buffer,
      pairs.buffer,
    ]);
  } catch {
    tell({ status: 0, message: 'The service does not answer. Check the connection, then try again.' });
  }
}

function sizesOf(count: number, pairs: Uint32Array): Uint8Array<ArrayBuffer> {
  const degrees = new Uint32Array(count);
  for (const end of pairs) degrees[end] = (degrees[end] ?? 0) + 1;
  return Uint8Array.from(degrees, (degree) => Math.min(255, Math.log2(1 + degree) * 20));
}

/** Any first part of the pairs is then an even sample of all. */
function mix(pairs: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  let state = 1;
  for (let at = pairs.length / 2 - 1; at > 0; at--) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const other = Math.floor((state / 2 ** 32) * (at + 1));
    for (const end of [0, 1]) {
      const kept = pairs[at * 2 + end] ?? 0;
      pairs[at * 2 + end] = pairs[other * 2 + end] ?? 0;
      pairs[other * 2 + end] = kept;
    }
  }
  return pairs;
}

function mostConnected(labels: number, label: Uint16Array, size: Uint8Array): Uint32Array<ArrayBuffer> {
  const members: number[][] = Array.from({ length: labels }, () => []);
  for (let node = 0; node < label.length; node++) members[label[node] ?? 0]?.push(node);
  const bySize = (a: number, b: number): number => (size[b] ?? 0) - (size[a] ?? 0);
  const best = members.flatMap((nodes) => nodes.toSorted(bySize).slice(0, knownPerLabel));
  return Uint32Array.from(best.toSorted(bySize));
}

function tell(message: FromWorker, transfer: ArrayBuffer[] = []): void {
  self.postMessage(message, { transfer });
}
