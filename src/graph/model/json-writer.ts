import { type Graph, isEscapeNeeded, nameBytesOf } from './graph.ts';

const CHUNK_BYTES = 65_536;
/** Room for the longest name, escaped, beside the longest label and the punctuation. */
const LARGEST_PIECE_BYTES = 16_384;

let spare: Uint8Array | undefined;

/** Full chunks are given away to other threads, so they must not come from a pool that others use. */
function takeBuffer(): Uint8Array {
  const buffer = spare ?? Buffer.allocUnsafeSlow(CHUNK_BYTES + LARGEST_PIECE_BYTES);
  spare = undefined;
  return buffer;
}

/** Writes JSON as bytes into chunks; names go from the pool to the answer without becoming strings. */
export class JsonWriter {
  #bytes = takeBuffer();
  #at = 0;

  /** A chunk is due: take it and go on. */
  get isFull(): boolean {
    return this.#at >= CHUNK_BYTES;
  }

  take(): Uint8Array {
    const chunk = this.#bytes.subarray(0, this.#at);
    this.#bytes = takeBuffer();
    this.#at = 0;
    return chunk;
  }

  /** The last chunk, copied out: most answers are small, and the next one uses the same buffer again. */
  finish(): Uint8Array {
    const chunk = new Uint8Array(this.#bytes.subarray(0, this.#at));
    spare = this.#bytes;
    return chunk;
  }

  raw(piece: Uint8Array): void {
    const bytes = this.#bytes;
    let at = this.#at;
    for (let i = 0; i < piece.length; i++) bytes[at++] = piece[i];
    this.#at = at;
  }

  /** The node's name as a JSON string. */
  name(graph: Graph, id: number): void {
    this.byte(QUOTE);
    const { base } = graph;
    if (id < base.nextNodeId) {
      const end = base.nameStart[id + 1];
      if (isEscapeNeeded(graph, id)) this.#escaped(base.names, base.nameStart[id], end);
      else {
        const { names } = base;
        const bytes = this.#bytes;
        let at = this.#at;
        for (let i = base.nameStart[id]; i < end; i++) bytes[at++] = names[i];
        this.#at = at;
      }
    } else {
      const name = nameBytesOf(graph, id);
      this.#escaped(name, 0, name.length);
    }
    this.byte(QUOTE);
  }

  number(value: number): void {
    if (value > 0xffffffff) return this.raw(Buffer.from(String(value)));
    let digits = 1;
    for (let limit = 10; value >= limit; limit *= 10) digits++;
    const bytes = this.#bytes;
    const start = this.#at;
    let rest = value >>> 0;
    for (let i = start + digits - 1; i >= start; i--) {
      const next = (rest / 10) >>> 0;
      bytes[i] = ZERO + (rest - next * 10);
      rest = next;
    }
    this.#at = start + digits;
  }

  numberOrNull(value: number | null): void {
    if (value === null) this.raw(NULL);
    else this.number(value);
  }

  numbers(values: readonly number[]): void {
    this.byte(0x5b);
    for (let i = 0; i < values.length; i++) {
      if (i > 0) this.byte(COMMA);
      this.#room();
      this.number(values[i]);
    }
    this.byte(0x5d);
  }

  byte(value: number): void {
    this.#bytes[this.#at++] = value;
  }

  #escaped(source: Uint8Array, start: number, end: number): void {
    for (let i = start; i < end; i++) {
      const value = source[i];
      if (value === QUOTE || value === BACKSLASH) this.#bytes[this.#at++] = BACKSLASH;
      this.#bytes[this.#at++] = value;
    }
  }

  /** A list of periods has no bound, so it may outgrow the spare room of a chunk. */
  #room(): void {
    if (this.#at + 1024 < this.#bytes.length) return;
    const larger = new Uint8Array(this.#bytes.length * 2);
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ZERO = 0x30;
export const COMMA = 0x2c;
const NULL = Buffer.from('null');

export function ascii(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'latin1'));
}
