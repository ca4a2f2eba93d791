import { depthsOf } from './label-depth.ts';

export type Places = { x: Float32Array<ArrayBuffer>; y: Float32Array<ArrayBuffer> };

/** Times that each node is moved towards the nodes it is connected with. */
const sweeps = 8;
/** Width to height of the whole drawing, and how much of its height is between the bands. */
const [aspect, between] = [1.55, 0.4];
const smallestGap = 3;

/**
 * Places for the nodes of a whole graph, without simulating forces: labels are bands, the deepest at the bottom; within its band each node
 * stands above what it depends on, as near as the crowd allows. A few passes over the relationships and a sort of each band: a hundred
 * thousand nodes take a fraction of a second.
 */
export function placeInBands(labels: number, label: ArrayLike<number>, relationships: ArrayLike<number>): Places {
  const count = label.length;
  const depths = depthsOf(labels, countByLabels(labels, label, relationships));
  const bands = Array.from({ length: labels }, (_, of) => of).toSorted(
    (a, b) => (depths[a] ?? 0) - (depths[b] ?? 0) || a - b,
  );
  const members: number[][] = Array.from({ length: labels }, () => []);
  for (let node = 0; node < count; node++) members[label[node] ?? 0]?.push(node);

  // Along its band each node has a place from 0 to 1: at first its turn, then near its neighbours.
  const along = new Float32Array(count);
  for (const band of members) spread(band, along);
  const [sum, degree] = [new Float32Array(count), new Uint16Array(count)];
  for (let sweep = 0; sweep < sweeps; sweep++) {
    sum.fill(0);
    degree.fill(0);
    for (let i = 0; i + 1 < relationships.length; i += 2) {
      const [source, target] = [relationships[i] ?? 0, relationships[i + 1] ?? 0];
      sum[source] = (sum[source] ?? 0) + (along[target] ?? 0);
      sum[target] = (sum[target] ?? 0) + (along[source] ?? 0);
      if ((degree[source] ?? 0) < 65_535) degree[source] = (degree[source] ?? 0) + 1;
      if ((degree[target] ?? 0) < 65_535) degree[target] = (degree[target] ?? 0) + 1;
    }
    for (let node = 0; node < count; node++) {
      const n = degree[node] ?? 0;
      if (n > 0) along[node] = ((along[node] ?? 0) + (sum[node] ?? 0) / n) / 2;
    }
    for (const band of members) {
      // oxlint-disable-next-line unicorn/no-array-sort -- in place is the point
      band.sort((a, b) => (along[a] ?? 0) - (along[b] ?? 0));
      spread(band, along);
    }
  }
  return fillBands(bands, members, count);
}

/** Even distances, in order. */
function spread(band: readonly number[], along: Float32Array): void {
  for (const [place, node] of band.entries()) along[node] = (place + 0.5) / band.length;
}

/** Each band is a grid, filled column by column from left to right, so that neighbours along it stay neighbours. */
function fillBands(bands: readonly number[], members: readonly number[][], count: number): Places {
  const many = Math.max(1, bands.filter((of) => (members[of] ?? []).length > 0).length);
  const width = Math.max(aspect * many * (1 + smallestGap), Math.sqrt((count * aspect) / (1 - between)));
  const gap = Math.max(smallestGap, ((count / width) * between) / (1 - between) / Math.max(1, many - 1));
  const [x, y] = [new Float32Array(count), new Float32Array(count)];
  let bottom = 0;
  for (const of of bands) {
    const band = members[of] ?? [];
    if (band.length === 0) continue;
    const rows = Math.ceil(band.length / width);
    const columns = Math.ceil(band.length / rows);
    for (const [place, node] of band.entries()) {
      x[node] = ((Math.floor(place / rows) + 0.5) / columns) * width;
      y[node] = bottom + (place % rows);
    }
    bottom += rows + gap;
  }
  // Screens count downwards.
  const top = bottom - gap - 1;
  for (let node = 0; node < count; node++) y[node] = top - (y[node] ?? 0);
  return { x, y };
}

function countByLabels(labels: number, label: ArrayLike<number>, relationships: ArrayLike<number>): Float64Array {
  const counts = new Float64Array(labels * labels);
  for (let i = 0; i + 1 < relationships.length; i += 2) {
    const at = (label[relationships[i] ?? 0] ?? 0) * labels + (label[relationships[i + 1] ?? 0] ?? 0);
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return counts;
}
