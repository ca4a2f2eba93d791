import type { Base } from './base.ts';
import { hashName } from './name-bytes.ts';
import { sortByName } from './name-order.ts';
import { sharedU32 } from './shared-arrays.ts';

type PlacedNodes = Pick<Base, 'names' | 'nameStart' | 'nodeLabel'>;

/** Everything that answers "which node is this?" and "in which order?" without comparing names at query time. */
export function buildNameIndex(
  labels: string[],
  nodes: PlacedNodes,
  ids: Uint32Array,
  sorted: Uint32Array | undefined,
): Pick<Base, 'rank' | 'idByRank' | 'labelStart' | 'labelNodes' | 'nameTable'> {
  const { names, nameStart, nodeLabel } = nodes;
  const idByRank = sharedU32(ids.length);
  if (sorted) idByRank.set(sorted);
  else {
    idByRank.set(ids);
    const labelRank = rankLabels(labels);
    sortByName(idByRank, names, nameStart, (id) => labelRank[nodeLabel[id]]);
  }
  const rank = sharedU32(nodeLabel.length);
  for (let at = 0; at < idByRank.length; at++) rank[idByRank[at]] = at;
  return {
    rank,
    idByRank,
    ...groupByLabel(labels.length, nodeLabel, idByRank),
    nameTable: buildNameTable(nodes, ids),
  };
}

/** Position of each label in byte order; labels are ASCII, so comparing strings compares bytes. */
export function rankLabels(labels: string[]): Uint32Array {
  const order = labels.map((_, id) => id).toSorted((a, b) => (labels[a] < labels[b] ? -1 : 1));
  const rank = new Uint32Array(labels.length);
  for (const [at, id] of order.entries()) rank[id] = at;
  return rank;
}

function groupByLabel(labelCount: number, nodeLabel: Uint32Array, idByRank: Uint32Array) {
  const labelStart = sharedU32(labelCount + 1);
  for (let at = 0; at < idByRank.length; at++) labelStart[nodeLabel[idByRank[at]] + 1]++;
  for (let label = 0; label < labelCount; label++) labelStart[label + 1] += labelStart[label];
  const next = labelStart.slice(0, labelCount);
  const labelNodes = sharedU32(idByRank.length);
  for (let at = 0; at < idByRank.length; at++) labelNodes[next[nodeLabel[idByRank[at]]]++] = idByRank[at];
  return { labelStart, labelNodes };
}

function buildNameTable({ names, nameStart, nodeLabel }: PlacedNodes, ids: Uint32Array): Uint32Array {
  let capacity = 16;
  while (capacity < ids.length * 1.5) capacity *= 2;
  const table = sharedU32(capacity);
  const mask = capacity - 1;
  for (let row = 0; row < ids.length; row++) {
    const id = ids[row];
    let slot = hashName(names, nameStart[id], nameStart[id + 1], nodeLabel[id]) & mask;
    while (table[slot] !== 0) slot = (slot + 1) & mask;
    table[slot] = id + 1;
  }
  return table;
}
