import { type Base, baseNodeTimes, findBaseNode } from './base.ts';
import { GrowableBytes } from './growable.ts';
import { equalBytes } from './name-bytes.ts';

const FIRST_ROWS = 1024;

/**
 * Nodes that are new, changed or deleted since the base, in columns: a row per (label, name), found by the hash that the base uses too.
 * A node without a row is as the base has it.
 */
export class RecentNodes {
  count = 0;
  id = new Uint32Array(FIRST_ROWS);
  label = new Uint32Array(FIRST_ROWS);
  /** Names stand one after the other: each ends where the next begins. */
  nameStart = new Uint32Array(FIRST_ROWS + 1);
  hash = new Int32Array(FIRST_ROWS);
  /** NaN is null. */
  from = new Float64Array(FIRST_ROWS);
  to = new Float64Array(FIRST_ROWS);
  isDeleted = new Uint8Array(FIRST_ROWS);
  /** The batch that touched it last. */
  batch = new Uint32Array(FIRST_ROWS);
  readonly names = new GrowableBytes();
  readonly #base: Base;
  /** Open addressing, row + 1, zero is free. */
  #table = new Uint32Array(FIRST_ROWS * 2);

  constructor(base: Base) {
    this.#base = base;
  }

  /** The row of this name, or -1. */
  find(label: number, hash: number, bytes: Uint8Array, start: number, end: number): number {
    const mask = this.#table.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const row = this.#table[slot] - 1;
      if (row < 0) return -1;
      if (
        this.hash[row] === hash &&
        this.label[row] === label &&
        equalBytes(this.names.bytes, this.nameStart[row], this.nameStart[row + 1], bytes, start, end)
      )
        return row;
    }
  }

  findInBase(label: number, hash: number, bytes: Uint8Array, start: number, end: number): number {
    return label < this.#base.labels.length ? findBaseNode(this.#base, label, bytes, start, end, hash) : -1;
  }

  /** A row for a name that has none. */
  add(id: number, label: number, hash: number, bytes: Uint8Array, start: number, end: number): number {
    if (this.count === this.id.length) this.#grow();
    const row = this.count++;
    this.id[row] = id;
    this.label[row] = label;
    this.names.append(bytes, start, end);
    this.nameStart[row + 1] = this.names.length;
    this.from[row] = Number.NaN;
    this.to[row] = Number.NaN;
    this.isDeleted[row] = 0;
    this.hash[row] = hash;
    this.#place(row);
    return row;
  }

  /** A row for a node of the base that is about to change. */
  addOfBase(id: number, label: number, hash: number, bytes: Uint8Array, start: number, end: number): number {
    const row = this.add(id, label, hash, bytes, start, end);
    const { from, to } = baseNodeTimes(this.#base, id);
    this.from[row] = from ?? Number.NaN;
    this.to[row] = to ?? Number.NaN;
    return row;
  }

  #place(row: number): void {
    const mask = this.#table.length - 1;
    let slot = this.hash[row] & mask;
    while (this.#table[slot] !== 0) slot = (slot + 1) & mask;
    this.#table[slot] = row + 1;
  }

  #grow(): void {
    const rows = this.id.length * 2;
    this.id = larger(this.id, new Uint32Array(rows));
    this.label = larger(this.label, new Uint32Array(rows));
    this.nameStart = larger(this.nameStart, new Uint32Array(rows + 1));
    this.from = larger(this.from, new Float64Array(rows));
    this.to = larger(this.to, new Float64Array(rows));
    this.isDeleted = larger(this.isDeleted, new Uint8Array(rows));
    this.batch = larger(this.batch, new Uint32Array(rows));
    this.hash = larger(this.hash, new Int32Array(rows));
    this.#table = new Uint32Array(rows * 2);
    for (let row = 0; row < this.count; row++) this.#place(row);
  }
}

export function larger<Values extends Uint8Array | Int32Array | Uint32Array | Float64Array>(
  values: Values,
  into: Values,
): Values {
  into.set(values);
  return into;
}
