import type { Facts } from '../periods.ts';
import { type Base, baseFacts, findOutEdge } from './base.ts';
import { larger } from './recent-nodes.ts';

const FIRST_ROWS = 1024;
/** Almost all facts are none, one or two numbers, which stand in columns; longer lists are kept as they are. */
const MAX_INLINE = 2;

/** Relationships that are new, changed or deleted since the base, in columns: a row per (source, target). */
export class RecentRelationships {
  count = 0;
  id = new Uint32Array(FIRST_ROWS);
  source = new Uint32Array(FIRST_ROWS);
  target = new Uint32Array(FIRST_ROWS);
  factCount = new Uint32Array(FIRST_ROWS);
  fact0 = new Float64Array(FIRST_ROWS);
  fact1 = new Float64Array(FIRST_ROWS);
  isDeleted = new Uint8Array(FIRST_ROWS);
  /** The batch that touched it last. */
  batch = new Uint32Array(FIRST_ROWS);
  readonly #base: Base;
  readonly #longFacts = new Map<number, Facts>();
  /** Open addressing, row + 1, zero is free. */
  #table = new Uint32Array(FIRST_ROWS * 2);

  constructor(base: Base) {
    this.#base = base;
  }

  /** The row of this pair, or -1. */
  find(source: number, target: number): number {
    const mask = this.#table.length - 1;
    for (let slot = hashPair(source, target) & mask; ; slot = (slot + 1) & mask) {
      const row = this.#table[slot] - 1;
      if (row < 0 || (this.source[row] === source && this.target[row] === target)) return row;
    }
  }

  /** Where the base has this pair, or -1. */
  findInBase(source: number, target: number): number {
    return findOutEdge(this.#base, source, target);
  }

  factsInBase(edge: number): Facts {
    const { outId, outFrom, outTo } = this.#base;
    return baseFacts(this.#base, outId[edge], outFrom[edge], outTo[edge]);
  }

  /** A row for a pair that has none; its facts are yet to be set. */
  add(id: number, source: number, target: number): number {
    if (this.count === this.id.length) this.#grow();
    const row = this.count++;
    this.id[row] = id;
    this.source[row] = source;
    this.target[row] = target;
    this.factCount[row] = 0;
    this.isDeleted[row] = 0;
    this.#place(row);
    return row;
  }

  setFacts(row: number, facts: Facts): void {
    if (this.factCount[row] > MAX_INLINE) this.#longFacts.delete(row);
    this.factCount[row] = facts.length;
    if (facts.length > MAX_INLINE) this.#longFacts.set(row, facts);
    else this.setInlineFacts(row, facts.length, facts[0] ?? 0, facts[1] ?? 0);
  }

  setInlineFacts(row: number, count: number, fact0: number, fact1: number): void {
    this.factCount[row] = count;
    this.fact0[row] = fact0;
    this.fact1[row] = fact1;
  }

  factsOf(row: number): Facts {
    const count = this.factCount[row];
    if (count > MAX_INLINE) return this.#longFacts.get(row) ?? [];
    if (count === 0) return [];
    return count === 1 ? [this.fact0[row]] : [this.fact0[row], this.fact1[row]];
  }

  #place(row: number): void {
    const mask = this.#table.length - 1;
    let slot = hashPair(this.source[row], this.target[row]) & mask;
    while (this.#table[slot] !== 0) slot = (slot + 1) & mask;
    this.#table[slot] = row + 1;
  }

  #grow(): void {
    const rows = this.id.length * 2;
    this.id = larger(this.id, new Uint32Array(rows));
    this.source = larger(this.source, new Uint32Array(rows));
    this.target = larger(this.target, new Uint32Array(rows));
    this.factCount = larger(this.factCount, new Uint32Array(rows));
    this.fact0 = larger(this.fact0, new Float64Array(rows));
    this.fact1 = larger(this.fact1, new Float64Array(rows));
    this.isDeleted = larger(this.isDeleted, new Uint8Array(rows));
    this.batch = larger(this.batch, new Uint32Array(rows));
    this.#table = new Uint32Array(rows * 2);
    for (let row = 0; row < this.count; row++) this.#place(row);
  }
}

function hashPair(source: number, target: number): number {
  let hash = Math.imul(source + 1, 0x9e3779b1) ^ Math.imul(target + 1, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 16), 0xc2b2ae35);
  return hash ^ (hash >>> 15);
}
