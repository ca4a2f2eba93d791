/**
 * Some nodes of a label and what each depends on during a day, as flat arrays: row `i` is the node `nodes[i]`, and its windows are
 * `rowStart[i]` … `rowStart[i + 1]`. A dependency with several periods has several windows, one after the other.
 *
 *   nodes        7           9          node 7 depends on 3 from second 0 until before 600, again from 900 on, and on 4 all day;
 *   rowStart     0           3     3    node 9 on nothing that was asked for
 *   dependency   3    3   4
 *   from         0  900   0
 *   to         600  86399 86399
 */
export type DependencyTable = {
  nodes: Uint32Array;
  rowStart: Uint32Array;
  /** Node ids. */
  dependency: Uint32Array;
  /** Seconds of the day: the first in which both the relationship and the dependency are active, and the one after the last. */
  from: Uint32Array;
  to: Uint32Array;
  /** Of the nodes, not of the dependencies; empty unless asked for. */
  names: string[];
};

type TableArrays = Omit<DependencyTable, 'names'> & { nameStart: Uint32Array; nameBytes: Uint8Array };

const HEADER_WORDS = 4;

/** In one buffer, which goes from thread to thread without being copied. */
export function encodeTable(table: TableArrays): Uint8Array {
  const { nodes, rowStart, dependency, from, to, nameStart, nameBytes } = table;
  const arrays = [nodes, rowStart, dependency, from, to, nameStart];
  const words = arrays.reduce((sum, array) => sum + array.length, HEADER_WORDS);
  const bytes = new Uint8Array(words * 4 + nameBytes.length);
  const target = new Uint32Array(bytes.buffer, 0, words);
  target.set([nodes.length, dependency.length, nameStart.length, nameBytes.length]);
  let at = HEADER_WORDS;
  for (const array of arrays) {
    target.set(array, at);
    at += array.length;
  }
  bytes.set(nameBytes, words * 4);
  return bytes;
}

export function decodeTable(bytes: Uint8Array): DependencyTable {
  // Only a view of words that begins where words can begin.
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes);
  const { buffer, byteOffset } = aligned;
  const [nodeCount, windowCount, nameCount, nameLength] = new Uint32Array(buffer, byteOffset, HEADER_WORDS);
  let at = byteOffset + HEADER_WORDS * 4;
  const take = (length: number): Uint32Array => {
    const array = new Uint32Array(buffer, at, length);
    at += length * 4;
    return array;
  };
  const nodes = take(nodeCount);
  const rowStart = take(nodeCount + 1);
  const [dependency, from, to] = [take(windowCount), take(windowCount), take(windowCount)];
  const nameStart = take(nameCount);
  const text = Buffer.from(buffer, at, nameLength);
  const names = Array.from({ length: Math.max(0, nameCount - 1) }, (_, i) =>
    text.toString('utf8', nameStart[i], nameStart[i + 1]),
  );
  return { nodes, rowStart, dependency, from, to, names };
}
