import type { Base } from './base.ts';
import { sharedU32 } from './shared-arrays.ts';

type Columns = {
  ids: Uint32Array;
  sources: Uint32Array;
  targets: Uint32Array;
  froms: Uint32Array;
  tos: Uint32Array;
};

type Adjacency = Pick<
  Base,
  'outStart' | 'outNode' | 'outFrom' | 'outTo' | 'outId' | 'inStart' | 'inNode' | 'inFrom' | 'inTo' | 'inId'
>;

/**
 * Compressed sparse rows in both directions by counting sorts. Going through the rows in target order leaves each
 * source's row sorted by target, and going through those in source order leaves each target's row sorted by source:
 * no row is ever sorted by comparison.
 */
export function buildAdjacency(nodeSlots: number, columns: Columns): Adjacency {
  const { ids, sources, targets, froms, tos } = columns;
  const count = ids.length;
  const outStart = startsOf(sources, nodeSlots);
  const inStart = startsOf(targets, nodeSlots);

  const byTarget = new Uint32Array(count);
  const nextIn = inStart.slice(0, nodeSlots);
  for (let edge = 0; edge < count; edge++) byTarget[nextIn[targets[edge]]++] = edge;

  const outNode = sharedU32(count);
  const outFrom = sharedU32(count);
  const outTo = sharedU32(count);
  const outId = sharedU32(count);
  const nextOut = outStart.slice(0, nodeSlots);
  for (let i = 0; i < count; i++) {
    const edge = byTarget[i];
    const at = nextOut[sources[edge]]++;
    outNode[at] = targets[edge];
    outFrom[at] = froms[edge];
    outTo[at] = tos[edge];
    outId[at] = ids[edge];
  }

  const inNode = sharedU32(count);
  const inFrom = sharedU32(count);
  const inTo = sharedU32(count);
  const inId = sharedU32(count);
  nextIn.set(inStart.subarray(0, nodeSlots));
  for (let source = 0; source < nodeSlots; source++) {
    const end = outStart[source + 1];
    for (let at = outStart[source]; at < end; at++) {
      const to = nextIn[outNode[at]]++;
      inNode[to] = source;
      inFrom[to] = outFrom[at];
      inTo[to] = outTo[at];
      inId[to] = outId[at];
    }
  }
  return { outStart, outNode, outFrom, outTo, outId, inStart, inNode, inFrom, inTo, inId };
}

function startsOf(nodes: Uint32Array, nodeSlots: number): Uint32Array {
  const start = sharedU32(nodeSlots + 1);
  for (let edge = 0; edge < nodes.length; edge++) start[nodes[edge] + 1]++;
  for (let node = 0; node < nodeSlots; node++) start[node + 1] += start[node];
  return start;
}
