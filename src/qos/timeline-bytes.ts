import { DAY_SECONDS, TRUE } from './states.ts';
import type { Timeline } from './timeline.ts';

/**
 * A timeline as it is stored. The first byte is the state at midnight; each change follows as a varint of `seconds since the last
 * one << 1 | step`, where the new state is the old one + 1 + step, modulo 3: neighbours differ, so a bit is enough. A day that is true
 * throughout is one byte, an outage of a minute four more.
 */
export function encodeTimeline(timeline: Timeline): Uint8Array {
  const bytes = new Uint8Array(mostBytes(timeline.length));
  return bytes.slice(0, writeTimeline(timeline, 0, timeline.length, bytes, 0));
}

export function decodeTimeline(bytes: Uint8Array): Timeline {
  const changes = new Uint32Array(bytes.length);
  return changes.slice(0, readTimeline(bytes, 0, bytes.length, changes, 0));
}

/** Bytes that so many changes take at most: none is more than 2^17 seconds after another. */
export const mostBytes = (changes: number): number => 3 * changes;

/** Writes `packed[start … end]` at `at`, and answers where it ended. */
export function writeTimeline(packed: Uint32Array, start: number, end: number, bytes: Uint8Array, at: number): number {
  bytes[at++] = packed[start] & 3;
  for (let i = start + 1; i < end; i++) {
    const step = ((packed[i] & 3) - (packed[i - 1] & 3) + 2) % 3;
    let rest = (((packed[i] >>> 2) - (packed[i - 1] >>> 2)) << 1) | step;
    for (; rest > 0x7f; rest >>>= 7) bytes[at++] = (rest & 0x7f) | 0x80;
    bytes[at++] = rest;
  }
  return at;
}

/** Reads `bytes[start … end]` into `packed` at `at`, and answers where it ended; no more changes than bytes. */
export function readTimeline(bytes: Uint8Array, start: number, end: number, packed: Uint32Array, at: number): number {
  let state = bytes[start];
  if (start >= end || state > TRUE) throw malformed();
  packed[at++] = state;
  let second = 0;
  for (let i = start + 1; i < end; ) {
    let value = 0;
    let shift = 0;
    let byte: number;
    do {
      if (i >= end || shift > 14) throw malformed();
      byte = bytes[i++];
      value |= (byte & 0x7f) << shift;
      shift += 7;
    } while (byte > 0x7f);
    second += value >>> 1;
    if (value < 2 || second >= DAY_SECONDS) throw malformed();
    state = (state + 1 + (value & 1)) % 3;
    packed[at++] = (second << 2) | state;
  }
  return at;
}

const malformed = (): Error => new Error('these bytes are not a timeline');
