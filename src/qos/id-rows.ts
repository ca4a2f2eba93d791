/** Which row an id stands in. Open addressing in a typed array: a Map of a hundred thousand numbers is several times as large and as slow. */
export class IdRows {
  readonly #ids: Uint32Array;
  /** Row + 1, zero is free. */
  readonly #slots: Uint32Array;

  constructor(ids: Uint32Array) {
    this.#ids = ids;
    let capacity = 16;
    while (capacity < ids.length * 2) capacity *= 2;
    this.#slots = new Uint32Array(capacity);
    for (let row = 0; row < ids.length; row++) this.#slots[this.#slotOf(ids[row])] = row + 1;
  }

  /** -1 for an id that is in none. */
  find(id: number): number {
    return this.#slots[this.#slotOf(id)] - 1;
  }

  /** Where the id is, or would go. */
  #slotOf(id: number): number {
    const mask = this.#slots.length - 1;
    const mixed = Math.imul(id, 0x9e3779b1);
    let slot = (mixed ^ (mixed >>> 15)) & mask;
    while (this.#slots[slot] !== 0 && this.#ids[this.#slots[slot] - 1] !== id) slot = (slot + 1) & mask;
    return slot;
  }
}
