import type { BaseBuilder } from './base-builder.ts';
import { OPEN } from './times.ts';

/**
 * Reads what PostgreSQL's `copy … to stdout (format binary)` sends, in pieces of any size, straight into a builder.
 *
 *   header: 11 bytes signature, 4 flags, 4 length of extension, extension
 *   row:    int16 number of fields, then per field int32 length (-1 is null) and the bytes; a number of -1 ends it
 */
export type CopyReader = { push(piece: Uint8Array): void; finish(): void };

/** Rows of `id int4, label text, name text, active_from int8, active_to int8`. */
export function createNodeReader(builder: BaseBuilder): CopyReader {
  let labelBytes = new Uint8Array(0);
  let labelId = -1;
  return createCopyReader((bytes, view, start) => {
    // id: length at start + 2, value at start + 6
    const id = view.getInt32(start + 6);
    let at = start + 10;
    const labelLength = view.getInt32(at);
    at += 4;
    if (labelId < 0 || !isSame(bytes, at, labelLength, labelBytes)) {
      labelBytes = bytes.slice(at, at + labelLength);
      labelId = builder.labelId(Buffer.from(labelBytes).toString('latin1'));
    }
    at += labelLength;
    const nameLength = view.getInt32(at);
    const nameStart = at + 4;
    at = nameStart + nameLength;
    let from: number | null = null;
    if (view.getInt32(at) < 0) at += 4;
    else {
      from = readInt8(view, at + 4);
      at += 12;
    }
    const to = view.getInt32(at) < 0 ? null : readInt8(view, at + 4);
    builder.addNode(id, labelId, bytes, nameStart, nameStart + nameLength, from, to);
  });
}

/** Rows of `id int4, source_id int4, target_id int4, facts int8[]`. */
export function createRelationshipReader(builder: BaseBuilder): CopyReader {
  return createCopyReader((_bytes, view, start) => {
    const id = view.getInt32(start + 6);
    const source = view.getInt32(start + 14);
    const target = view.getInt32(start + 22);
    // Array: int32 dimensions, flags, element type; per dimension int32 length, lower bound; elements.
    const array = start + 30;
    if (view.getInt32(array) === 0) return builder.addInline(id, source, target, 0, OPEN, false);
    const count = view.getInt32(array + 12);
    if (count === 1 && view.getUint32(array + 24) === 0) {
      const from = view.getUint32(array + 28);
      if (from > 0 && from < OPEN) return builder.addInline(id, source, target, from, OPEN, false);
    }
    const facts: number[] = [];
    for (let i = 0; i < count; i++) facts.push(readInt8(view, array + 24 + i * 12));
    builder.addRelationship(id, source, target, facts);
  });
}

type ReadRow = (bytes: Uint8Array, view: DataView, start: number) => void;

const HEADER_BYTES = 19;

function createCopyReader(readRow: ReadRow): CopyReader {
  let rest = new Uint8Array(0);
  let isHeaderRead = false;
  let isEnded = false;
  return {
    push(piece) {
      if (isEnded) return;
      const bytes = rest.length === 0 ? piece : concat(rest, piece);
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      let at = 0;
      if (!isHeaderRead) {
        if (bytes.length < HEADER_BYTES || bytes.length < HEADER_BYTES + view.getInt32(15)) {
          rest = bytes.slice();
          return;
        }
        at = HEADER_BYTES + view.getInt32(15);
        isHeaderRead = true;
      }
      for (;;) {
        const end = endOfRow(view, at);
        if (end === INCOMPLETE) break;
        if (end === at) {
          isEnded = true;
          break;
        }
        readRow(bytes, view, at);
        at = end;
      }
      rest = isEnded ? new Uint8Array(0) : bytes.slice(at);
    },
    finish() {
      if (!isEnded) throw new Error('the rows ended before their end mark');
    },
  };
}

const INCOMPLETE = -1;

/** Where the row that begins at `at` ends; `at` itself for the end mark, INCOMPLETE when bytes are missing. */
function endOfRow(view: DataView, at: number): number {
  const { byteLength } = view;
  if (at + 2 > byteLength) return INCOMPLETE;
  const fields = view.getInt16(at);
  if (fields < 0) return at;
  let end = at + 2;
  for (let field = 0; field < fields; field++) {
    if (end + 4 > byteLength) return INCOMPLETE;
    const length = view.getInt32(end);
    end += length < 0 ? 4 : 4 + length;
  }
  return end > byteLength ? INCOMPLETE : end;
}

function readInt8(view: DataView, at: number): number {
  return view.getInt32(at) * 2 ** 32 + view.getUint32(at + 4);
}

function isSame(bytes: Uint8Array, at: number, length: number, other: Uint8Array): boolean {
  if (length !== other.length) return false;
  for (let i = 0; i < length; i++) if (bytes[at + i] !== other[i]) return false;
  return true;
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
