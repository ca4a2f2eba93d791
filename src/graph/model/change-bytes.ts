import { toSharedU8 } from './shared-arrays.ts';

/** Variable-length whole numbers up to 2^53 + 2 (seven bits a byte, low ones first) and UTF-8 texts. */

export class ByteWriter {
  #bytes = Buffer.allocUnsafe(4096);
  #length = 0;

  unsigned(value: number): void {
    this.#reserve(9);
    let rest = value;
    for (; rest > 0x7fffffff; rest = Math.floor(rest / 0x80)) this.#bytes[this.#length++] = (rest % 0x80) | 0x80;
    // What fits 32 bits, almost everything, goes without division.
    for (; rest >= 0x80; rest >>>= 7) this.#bytes[this.#length++] = (rest & 0x7f) | 0x80;
    this.#bytes[this.#length++] = rest;
  }

  /** The sign is the second bit of the first byte. */
  signed(value: number): void {
    this.#reserve(9);
    const sign = value < 0 ? 0x40 : 0;
    const magnitude = Math.abs(value);
    const low = magnitude % 0x40;
    const rest = Math.floor(magnitude / 0x40);
    this.#bytes[this.#length++] = low | sign | (rest > 0 ? 0x80 : 0);
    if (rest > 0) this.unsigned(rest);
  }

  text(text: string): void {
    const byteLength = Buffer.byteLength(text);
    this.unsigned(byteLength);
    this.#reserve(byteLength);
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** A text that is UTF-8 already. */
  bytes(source: Uint8Array, start: number, end: number): void {
    this.unsigned(end - start);
    this.#reserve(end - start);
    for (let i = start; i < end; i++) this.#bytes[this.#length++] = source[i];
  }

  /** In memory that every thread can read. */
  finishShared(): Uint8Array {
    return toSharedU8(this.#bytes.subarray(0, this.#length));
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + more));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

export class ByteReader {
  readonly bytes: Buffer;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  unsigned(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 0x80) {
      const byte = this.#next();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }

  signed(): number {
    const first = this.#next();
    const magnitude = (first & 0x3f) + (first < 0x80 ? 0 : this.unsigned() * 0x40);
    return (first & 0x40) === 0 ? magnitude : -magnitude;
  }

  text(): string {
    const start = this.skipText();
    return this.bytes.toString('utf8', start, this.at);
  }

  /** Where the text begins in `bytes`; it ends where the reader stands then. */
  skipText(): number {
    const length = this.unsigned();
    const start = this.at;
    if (start + length > this.bytes.length) throw new Error('a graph change ends too early');
    this.at = start + length;
    return start;
  }

  list<Item>(readItem: () => Item): Item[] {
    const count = this.unsigned();
    const items: Item[] = [];
    for (let i = 0; i < count; i++) items.push(readItem());
    return items;
  }

  #next(): number {
    if (this.at >= this.bytes.length) throw new Error('a graph change ends too early');
    return this.bytes[this.at++];
  }
}
