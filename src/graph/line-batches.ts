/** Complete lines in portions of bounded size, cut from a stream of any length. */
export type LineBatch = { firstLine: number; lines: number; bytes: Uint8Array };

/** Of a graph: large enough that a transaction's fixed cost does not count. On the embedded database everybody else waits for one (ADR 8). */
export const graphBatchBytes = 8 * 1024 * 1024;

const newline = 0x0a;
const firstBatchBytes = 512 * 1024;
/** A portion is full with the chunk that makes it so. */
const roomForLastChunk = 128 * 1024;
/** No message needs as much. A longer line is not held: what is left of it is `tooLong`, which is refused as broken JSON. */
export const maxLineBytes = 256 * 1024;
// Not the beginning of the line: with a piece missing it may still be valid JSON, and say something else.
const tooLong = Buffer.from('(a line longer than 256 KiB)');

/**
 * A portion is given as soon as it has `batchBytes` (the first ones sooner, so that the work begins early), and what is left at the end. The stream is read only as fast as portions are taken, and
 * no more than one portion and one line are held.
 */
export async function* lineBatches(source: AsyncIterable<Uint8Array>, batchBytes: number): AsyncGenerator<LineBatch> {
  let portion = new Portion(0);
  let lines = 0;
  let firstLine = 1;
  let limit = Math.min(firstBatchBytes, batchBytes);
  let rest: Uint8Array = new Uint8Array(0);

  const take = (nextCapacity: number): LineBatch => {
    const batch = { firstLine, lines, bytes: portion.bytes() };
    firstLine += lines;
    portion = new Portion(nextCapacity);
    lines = 0;
    return batch;
  };

  for await (const chunk of source) {
    const end = chunk.lastIndexOf(newline) + 1;
    if (end === 0) {
      rest = keepRest(rest, chunk);
      continue;
    }
    const firstEnd = chunk.indexOf(newline);
    rest = keepRest(rest, chunk.subarray(0, firstEnd));
    portion.add(rest);
    portion.add(chunk.subarray(firstEnd, end));
    lines += countNewlines(chunk, end);
    rest = keepRest(new Uint8Array(0), chunk.subarray(end));
    if (portion.size < limit) continue;
    limit = Math.min(limit * 2, batchBytes);
    yield take(limit + roomForLastChunk);
  }
  if (rest.length > 0) {
    portion.add(rest);
    lines++;
  }
  if (portion.size > 0) yield take(0);
}

/**
 * Bytes in shared memory: the thread that reads the lines needs no copy, and they are still here if it has to read them again. Chunks are copied as
 * they come; held until a portion is full they would outlive the quick collections of garbage, and only the slow ones give them back.
 */
class Portion {
  size = 0;
  #buffer: Buffer;

  constructor(capacity: number) {
    this.#buffer = Buffer.from(new SharedArrayBuffer(capacity));
  }

  add(part: Uint8Array): void {
    const needed = this.size + part.length;
    if (needed > this.#buffer.length) {
      const larger = Buffer.from(new SharedArrayBuffer(Math.max(needed, 2 * this.size)));
      larger.set(this.#buffer.subarray(0, this.size));
      this.#buffer = larger;
    }
    this.#buffer.set(part, this.size);
    this.size = needed;
  }

  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.size);
  }
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
