/** Byte strings one after the other, each different one once: number `n` is `bytes[start[n]] … bytes[start[n + 1]]`. */
export class DistinctBytes {
  #bytes = new Uint8Array(4096);
  #start = new Uint32Array(256);
  /** Open addressing, number + 1, zero is free. */
  #slots = new Uint32Array(512);
  #count = 0;

  /** Its number; it is taken in if it is new. No string or key is made of it: most have been seen before. */
  intern(value: Uint8Array): number {
    if (this.#count * 2 >= this.#slots.length) this.#growSlots();
    const mask = this.#slots.length - 1;
    let slot = hashOf(value, 0, value.length) & mask;
    for (; this.#slots[slot] !== 0; slot = (slot + 1) & mask) {
      if (this.#equals(this.#slots[slot] - 1, value)) return this.#slots[slot] - 1;
    }
    const at = this.#start[this.#count];
    this.#reserve(at + value.length);
    this.#bytes.set(value, at);
    this.#count++;
    this.#start[this.#count] = at + value.length;
    this.#slots[slot] = this.#count;
    return this.#count - 1;
  }

  finish(): { start: Uint32Array<ArrayBuffer>; bytes: Uint8Array<ArrayBuffer> } {
    const end = this.#start[this.#count];
    return { start: this.#start.slice(0, this.#count + 1), bytes: this.#bytes.slice(0, end) };
  }

  #equals(number: number, value: Uint8Array): boolean {
    const at = this.#start[number];
    if (this.#start[number + 1] - at !== value.length) return false;
    for (let i = 0; i < value.length; i++) if (this.#bytes[at + i] !== value[i]) return false;
    return true;
  }

  /** Room for so many bytes, and for one more end. */
  #reserve(bytes: number): void {
    if (bytes > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(this.#bytes.length * 2, bytes));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    if (this.#count + 1 < this.#start.length) return;
    const longer = new Uint32Array(this.#start.length * 2);
    longer.set(this.#start);
    this.#start = longer;
  }

  #growSlots(): void {
    this.#slots = new Uint32Array(this.#slots.length * 2);
    const mask = this.#slots.length - 1;
    for (let number = 0; number < this.#count; number++) {
      let slot = hashOf(this.#bytes, this.#start[number], this.#start[number + 1]) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = number + 1;
    }
  }
}

function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i], 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}
