/** Complete lines in portions of bounded size, cut from a stream of any length. */
export type LineBatch = { firstLine: number; lines: number; bytes: Uint8Array };

/**
 * Large enough that a transaction's fixed cost does not count. On the embedded database everybody else waits while a batch is written, so
 * there they are smaller.
 */
export const batchBytes = { embedded: 2 * 1024 * 1024, postgres: 8 * 1024 * 1024 };

const newline = 0x0a;
const firstBatchBytes = 512 * 1024;
/** No message needs as much. A longer line is not held: what is left of it is `tooLong`, which is refused as broken JSON. */
export const maxLineBytes = 256 * 1024;
// Not the beginning of the line: with a piece missing it may still be valid JSON, and say something else.
const tooLong = Buffer.from('(a line longer than 256 KiB)');

/**
 * A portion is given as soon as it has `batchBytes` (the first ones sooner, so that the work begins early), and what is left at the end. The stream is read only as fast as portions are taken, and
 * no more than one portion and one line are held.
 */
export async function* lineBatches(source: AsyncIterable<Uint8Array>, batchBytes: number): AsyncGenerator<LineBatch> {
  let parts: Uint8Array[] = [];
  let size = 0;
  let lines = 0;
  let firstLine = 1;
  let limit = Math.min(firstBatchBytes, batchBytes);
  let rest: Uint8Array = new Uint8Array(0);

  const take = (): LineBatch => {
    const batch = { firstLine, lines, bytes: joinShared(parts, size) };
    firstLine += lines;
    parts = [];
    size = 0;
    lines = 0;
    return batch;
  };
  const add = (part: Uint8Array, count: number): void => {
    parts.push(part);
    size += part.length;
    lines += count;
  };

  for await (const chunk of source) {
    const end = chunk.lastIndexOf(newline) + 1;
    if (end === 0) {
      rest = keepRest(rest, chunk);
      continue;
    }
    const firstEnd = chunk.indexOf(newline);
    rest = keepRest(rest, chunk.subarray(0, firstEnd));
    if (rest.length > 0) add(rest, 0);
    add(chunk.subarray(firstEnd, end), countNewlines(chunk, end));
    rest = keepRest(new Uint8Array(0), chunk.subarray(end));
    if (size < limit) continue;
    yield take();
    limit = Math.min(limit * 2, batchBytes);
  }
  if (rest.length > 0) add(rest, 1);
  if (size > 0) yield take();
}

/** In shared memory: the thread that reads the lines needs no copy, and they are still here if it has to read them again. */
function joinShared(parts: Uint8Array[], size: number): Buffer {
  const bytes = Buffer.from(new SharedArrayBuffer(size));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function keepRest(rest: Uint8Array, more: Uint8Array): Uint8Array {
  if (rest === tooLong || more.length === 0) return rest;
  return rest.length + more.length > maxLineBytes ? tooLong : Buffer.concat([rest, more]);
}

function countNewlines(bytes: Uint8Array, end: number): number {
  let count = 0;
  for (let at = bytes.indexOf(newline); at >= 0 && at < end; at = bytes.indexOf(newline, at + 1)) count++;
  return count;
}
