/** A generated estate: layers that depend on lower layers, hubs, a few cycles, validity windows. Same seed, same graph. */

const LAYERS = [
  ['Datacenter', 0.0001],
  ['Rack', 0.002],
  ['Server', 0.05],
  ['Machine', 0.15],
  ['Database', 0.05],
  ['Service', 0.15],
  ['App', 0.2],
  ['Website', 0.3],
  ['Customer', 0.0979],
] as const;

export const NOW = 1_750_000_000;
export const FOREVER = 0xffffffff;
const EARLIEST = 1_600_000_000;

export type LayeredGraph = {
  labels: string[];
  nodeLabel: Uint8Array;
  nodeFrom: Uint32Array;
  nodeTo: Uint32Array;
  source: Uint32Array;
  target: Uint32Array;
  from: Uint32Array;
  to: Uint32Array;
};

export function generateLayeredGraph(nodeCount: number, edgeCount: number, seed = 1): LayeredGraph {
  const random = randomFrom(seed);
  const sizes = LAYERS.map(([, share]) => Math.max(2, Math.round(nodeCount * share)));
  sizes[sizes.length - 1] += nodeCount - sizes.reduce((sum, size) => sum + size, 0);
  const starts = sizes.map((_, layer) => sizes.slice(0, layer).reduce((sum, size) => sum + size, 0));
  const nodeLabel = new Uint8Array(nodeCount);
  for (const [layer, start] of starts.entries()) nodeLabel.fill(layer, start, start + sizes[layer]);
  const nodeFrom = new Uint32Array(nodeCount);
  const nodeTo = new Uint32Array(nodeCount);
  for (let id = 0; id < nodeCount; id++) {
    nodeFrom[id] = EARLIEST + Math.floor(random() * 1e8);
    nodeTo[id] = random() < 0.05 ? NOW - Math.floor(random() * 1e7) : FOREVER;
  }
  const source = new Uint32Array(edgeCount);
  const target = new Uint32Array(edgeCount);
  const from = new Uint32Array(edgeCount);
  const to = new Uint32Array(edgeCount);
  const seen = new PairSet(edgeCount);
  for (let edge = 0; edge < edgeCount; ) {
    const upper = sizes[0] + Math.floor(random() * (nodeCount - sizes[0]));
    const layer = nodeLabel[upper];
    const lowerLayer = pickLowerLayer(layer, random);
    const size = sizes[lowerLayer];
    let place: number;
    if (random() < 0.02) place = Math.floor(size * random() ** 3);
    else {
      const spread = Math.max(2, size * 0.002);
      const middle = ((upper - starts[layer]) / sizes[layer]) * size;
      place = Math.floor(middle + (random() + random() - 1) * spread);
      place = ((place % size) + size) % size;
    }
    const lower = starts[lowerLayer] + place;
    // A few point upwards, within the leaf layers only: cycles, but not one that swallows the whole graph.
    const isCycle = lowerLayer >= 6 && random() < 0.01;
    const [a, b] = isCycle ? [lower, upper] : [upper, lower];
    if (!seen.add(a, b)) continue;
    source[edge] = a;
    target[edge] = b;
    const kind = random();
    from[edge] = kind < 0.95 ? EARLIEST + Math.floor(random() * 1e8) : NOW + 1 + Math.floor(random() * 1e7);
    to[edge] = kind >= 0.85 && kind < 0.95 ? NOW - 1 - Math.floor(random() * 1e7) : FOREVER;
    edge++;
  }
  return { labels: LAYERS.map(([label]) => label), nodeLabel, nodeFrom, nodeTo, source, target, from, to };
}

export function nameOf(graph: LayeredGraph, id: number): string {
  const scattered = (Math.imul(id, 2_654_435_761) >>> 0).toString(16).padStart(8, '0');
  return `${graph.labels[graph.nodeLabel[id]].toLowerCase()}-${scattered}.example.net`;
}

function pickLowerLayer(layer: number, random: () => number): number {
  const kind = random();
  if (kind > 0.85) return Math.floor(random() * layer);
  return Math.max(0, kind > 0.6 ? layer - 2 : layer - 1);
}

/** Pairs of node ids in open addressing: a Set of strings would need gigabytes. */
class PairSet {
  #low: Uint32Array;
  #high: Uint32Array;
  #mask: number;

  constructor(count: number) {
    let capacity = 1024;
    while (capacity < count * 2) capacity *= 2;
    this.#low = new Uint32Array(capacity);
    this.#high = new Uint32Array(capacity);
    this.#mask = capacity - 1;
  }

  add(a: number, b: number): boolean {
    let slot = (Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b)) >>> 0;
    slot = (slot ^ (slot >>> 15)) & this.#mask;
    while (this.#low[slot] !== 0) {
      if (this.#low[slot] === a + 1 && this.#high[slot] === b) return false;
      slot = (slot + 1) & this.#mask;
    }
    this.#low[slot] = a + 1;
    this.#high[slot] = b;
    return true;
  }
}

function randomFrom(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
