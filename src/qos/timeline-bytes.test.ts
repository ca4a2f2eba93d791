import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY_SECONDS, FALSE, TRUE } from './states.ts';
import { anyTimeline } from './testing/arbitrary-timeline.ts';
import { FALSE_DAY, type Timeline, TimelineBuilder, TRUE_DAY, UNKNOWN_DAY } from './timeline.ts';
import { decodeTimeline, encodeTimeline, mostBytes } from './timeline-bytes.ts';

function timeline(...changes: Array<[second: number, state: number]>): Timeline {
  const builder = new TimelineBuilder();
  for (const [second, state] of changes) builder.change(second, state);
  return builder.finish();
}

test('what was encoded is decoded to the same timeline', () => {
  const isKept = (one: Timeline) => isDeepStrictEqual(decodeTimeline(encodeTimeline(one)), one);
  const isShort = (one: Timeline) => encodeTimeline(one).length <= mostBytes(one.length);
  expect(fc.check(fc.property(anyTimeline, (one) => isKept(one) && isShort(one)))).toMatchObject({ failed: false });
});

test('a day of one state is one byte, a minute of outage a few more', () => {
  expect([UNKNOWN_DAY, FALSE_DAY, TRUE_DAY].map((day) => encodeTimeline(day).length)).toEqual([1, 1, 1]);
  expect(encodeTimeline(timeline([0, TRUE], [36_000, FALSE], [36_060, TRUE])).length).toBe(5);
  expect(decodeTimeline(encodeTimeline(timeline([0, TRUE], [DAY_SECONDS - 1, FALSE])))).toHaveLength(2);
});

test.each([
  ['nothing', []],
  ['a state that there is not', [3]],
  ['a change that does not end', [2, 0x80]],
  ['a change after no time', [2, 1]],
  ['a change after the day', [2, 0xff, 0xff, 0x7f]],
  ['a change that is too long', [2, 0x80, 0x80, 0x80, 0x01]],
])('%s is no timeline', (_what, bytes) => {
  expect(() => decodeTimeline(Uint8Array.from(bytes))).toThrow('not a timeline');
});
