import type { Figures } from './figures.ts';
import { DAY_SECONDS, TRUE, UNKNOWN } from './states.ts';
import { mostBytes, readTimeline, writeTimeline } from './timeline-bytes.ts';

type Encoded = Pick<Figures, 'timelineStart' | 'bytes'>;

/**
 * Many timelines one after the other in one array, each different one once: number `t` is `changes[start[t]] … changes[start[t + 1]]`.
 * What is asked of a timeline over and over, how long it is known and true, is added up when it comes in.
 */
export class TimelinePool {
  changes = new Uint32Array(4096);
  start = new Uint32Array(256);
  knownSeconds = new Uint32Array(256);
  trueSeconds = new Uint32Array(256);
  count = 0;
  /** Open addressing, number + 1, zero is free. */
  #slots = new Uint32Array(512);

  /** All timelines of some figures, under the numbers that they have there. */
  static decode({ timelineStart, bytes }: Encoded): TimelinePool {
    const pool = new TimelinePool();
    // A change takes a byte at least.
    pool.#reserve(bytes.length, timelineStart.length);
    for (let t = 0; t + 1 < timelineStart.length; t++) {
      pool.#append(readTimeline(bytes, timelineStart[t], timelineStart[t + 1], pool.changes, pool.start[t]));
    }
    return pool;
  }

  encode(): Encoded {
    const bytes = new Uint8Array(mostBytes(this.start[this.count]));
    const timelineStart = new Uint32Array(this.count + 1);
    for (let t = 0; t < this.count; t++) {
      timelineStart[t + 1] = writeTimeline(this.changes, this.start[t], this.start[t + 1], bytes, timelineStart[t]);
    }
    return { timelineStart, bytes: bytes.slice(0, timelineStart[this.count]) };
  }

  /** The number of the timeline that is the first `length` of `changes`; it is taken in if it is new. */
  intern(changes: Uint32Array, length: number): number {
    if (this.count * 2 >= this.#slots.length) this.#growSlots();
    const mask = this.#slots.length - 1;
    let slot = hashOf(changes, 0, length) & mask;
    for (; this.#slots[slot] !== 0; slot = (slot + 1) & mask) {
      if (this.#equals(this.#slots[slot] - 1, changes, length)) return this.#slots[slot] - 1;
    }
    const at = this.start[this.count];
    this.#reserve(at + length, this.count + 2);
    for (let i = 0; i < length; i++) this.changes[at + i] = changes[i];
    this.#append(at + length);
    this.#slots[slot] = this.count;
    return this.count - 1;
  }

  isTrueAllDay(t: number): boolean {
    return this.trueSeconds[t] === DAY_SECONDS;
  }

  /** The seconds from `from` until before `to` in which it is in that state. */
  secondsWithin(t: number, state: number, from: number, to: number): number {
    const { changes } = this;
    const end = this.start[t + 1];
    let seconds = 0;
    for (let i = this.start[t]; i < end && changes[i] >>> 2 < to; i++) {
      if ((changes[i] & 3) !== state) continue;
      const ends = i + 1 < end ? changes[i + 1] >>> 2 : DAY_SECONDS;
      seconds += Math.max(0, Math.min(to, ends) - Math.max(from, changes[i] >>> 2));
    }
    return seconds;
  }

  #append(end: number): void {
    const t = this.count++;
    this.start[t + 1] = end;
    const { changes } = this;
    let known = 0;
    let trues = 0;
    for (let i = this.start[t]; i < end; i++) {
      const state = changes[i] & 3;
      if (state === UNKNOWN) continue;
      const seconds = (i + 1 < end ? changes[i + 1] >>> 2 : DAY_SECONDS) - (changes[i] >>> 2);
      known += seconds;
      if (state === TRUE) trues += seconds;
    }
    this.knownSeconds[t] = known;
    this.trueSeconds[t] = trues;
  }

  #equals(t: number, changes: Uint32Array, length: number): boolean {
    const at = this.start[t];
    if (this.start[t + 1] - at !== length) return false;
    for (let i = 0; i < length; i++) if (this.changes[at + i] !== changes[i]) return false;
    return true;
  }

  #reserve(changes: number, timelines: number): void {
    if (changes > this.changes.length) this.changes = enlarge(this.changes, changes);
    if (timelines < this.start.length) return;
    this.start = enlarge(this.start, timelines + 1);
    this.knownSeconds = enlarge(this.knownSeconds, this.start.length);
    this.trueSeconds = enlarge(this.trueSeconds, this.start.length);
  }

  #growSlots(): void {
    this.#slots = new Uint32Array(this.#slots.length * 2);
    const mask = this.#slots.length - 1;
    for (let t = 0; t < this.count; t++) {
      let slot = hashOf(this.changes, this.start[t], this.start[t + 1]) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = t + 1;
    }
  }
}

function enlarge(array: Uint32Array, atLeast: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(Math.max(array.length * 2, atLeast));
  larger.set(array);
  return larger;
}

function hashOf(changes: Uint32Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ changes[i], 0x01000193) ^ (hash >>> 15);
  return (hash ^ (hash >>> 13)) >>> 0;
}
