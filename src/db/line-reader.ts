import { PassThrough, pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

const newline = 0x0a;
const endOfTable = Buffer.from('\\.');

export type RowPortion = { parts: Buffer[]; count: number; isLast: boolean };

/** Reads a gzip file of lines, one by one or many at a time, holding no more than a portion. */
export function createLineReader(source: Readable, onDamage: (error: unknown) => Error) {
  const bytes = new PassThrough();
  pipeline(source, createGunzip(), bytes, () => {});
  const chunks: AsyncIterator<Buffer> = bytes[Symbol.asyncIterator]();
  let chunk: Buffer = Buffer.alloc(0);
  let at = 0;

  async function readChunk(): Promise<boolean> {
    try {
      const { value, done } = await chunks.next();
      if (done) return false;
      chunk = value;
      at = 0;
      return true;
    } catch (error) {
      throw onDamage(error);
    }
  }

  /** Undefined at the end; a last line without a newline counts as cut off. */
  async function next(): Promise<Buffer | undefined> {
    const parts: Buffer[] = [];
    for (;;) {
      const end = chunk.indexOf(newline, at);
      if (end >= 0) {
        parts.push(chunk.subarray(at, end));
        at = end + 1;
        return parts.length === 1 ? parts[0] : Buffer.concat(parts);
      }
      if (at < chunk.length) parts.push(chunk.subarray(at));
      at = chunk.length;
      if (await readChunk()) continue;
      if (parts.length === 0) return undefined;
      throw onDamage(new Error('The last line is cut off.'));
    }
  }

  /** Rows up to the end of the table or up to the limits, whichever comes first. Neighbouring rows stay one piece. */
  async function takeRows(maxRows: number, maxBytes: number): Promise<RowPortion> {
    const parts: Buffer[] = [];
    let count = 0;
    let size = 0;
    while (count < maxRows && size < maxBytes) {
      const from = at;
      let isLast = false;
      let rowsEnd = at;
      for (let end = chunk.indexOf(newline, at); end >= 0 && !isLast; end = chunk.indexOf(newline, at)) {
        isLast = end - at === endOfTable.length && chunk.subarray(at, end).equals(endOfTable);
        at = end + 1;
        if (isLast) break;
        rowsEnd = at;
        count++;
        if (count >= maxRows || size + (rowsEnd - from) >= maxBytes) break;
      }
      if (rowsEnd > from) parts.push(chunk.subarray(from, rowsEnd));
      size += rowsEnd - from;
      if (isLast) return { parts, count, isLast };
      if (count >= maxRows || size >= maxBytes) break;
      // What is left of this chunk is the beginning of a line that goes on in the next.
      const row = await next();
      if (row === undefined) throw onDamage(new Error('A table has no end.'));
      if (row.equals(endOfTable)) return { parts, count, isLast: true };
      parts.push(row, Buffer.from('\n'));
      count++;
      size += row.length + 1;
    }
    return { parts, count, isLast: false };
  }
  return { next, takeRows };
}

export type LineReader = ReturnType<typeof createLineReader>;
