import { badRequest } from '../errors.ts';

/**
 * Turns the bytes of a JSON array into NDJSON, one item a line, without holding more than a chunk. Only the outermost structure is looked at:
 * an item that is broken in itself becomes a broken line.
 *
 *   [ {"a": 1},        {"a": 1}␊
 *     {"b": [2]} ]  →  {"b": [2]}␊
 */
export async function* arrayToLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let state: 'before' | 'first item' | 'in item' | 'next item' | 'after' = 'before';
  let depth = 0;
  let isInText = false;
  let isEscaped = false;
  let items = 0;

  for await (const chunk of source) {
    const out = Buffer.allocUnsafe(chunk.length + 1);
    let at = 0;
    for (const byte of chunk) {
      if (isInText) {
        if (isEscaped) isEscaped = false;
        else if (byte === 0x5c) isEscaped = true;
        else if (byte === 0x22) isInText = false;
        // A raw newline is not legal inside a JSON text; as a blank it keeps the item in one line, still broken or harmless.
        out[at++] = byte === 0x0a ? 0x1f : byte;
        continue;
      }
      const isBlank = byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
      if (isBlank) {
        if (state === 'in item') out[at++] = 0x20;
        continue;
      }
      if (state === 'before') {
        if (byte !== 0x5b) throw broken('it must begin with "["', items);
        state = 'first item';
        continue;
      }
      if (state === 'after') throw broken('something follows its end', items);
      if (depth === 0 && (byte === 0x2c || byte === 0x5d)) {
        if (state === 'in item') {
          out[at++] = 0x0a;
          items++;
        } else if (byte === 0x2c || state === 'next item') throw broken('an item is missing', items);
        state = byte === 0x2c ? 'next item' : 'after';
        continue;
      }
      state = 'in item';
      if (byte === 0x22) isInText = true;
      else if (byte === 0x7b || byte === 0x5b) depth++;
      else if (byte === 0x7d || byte === 0x5d) depth--;
      if (depth < 0) throw broken('a bracket closes that was never opened', items);
      out[at++] = byte;
    }
    if (at > 0) yield out.subarray(0, at);
  }
  if (state !== 'after') throw broken(state === 'before' ? 'it is empty' : 'it ends too early', items);
}

const broken = (reason: string, items: number) =>
  badRequest(
    `The request body is not a JSON array: ${reason}${items > 0 ? ` (after item ${items})` : ''}. Send an array of messages, or NDJSON.`,
  );
