import { expect, test } from 'vitest';
import { rangeOf, stretchesOf, ticksOf } from './periods.ts';

const day = 86_400;
const now = Date.UTC(2026, 10, 15) / 1000;

test.each([
  [[], [[10, 20]]],
  [[12], [[12, 20]]],
  [[0, 5], []],
  [
    [8, 11, 14, 15, 18],
    [
      [10, 11],
      [14, 15],
      [18, 20],
    ],
  ],
])('%j in 10 to 20 is %j', (periods, stretches) => {
  expect(stretchesOf(periods, 10, 20)).toEqual(stretches);
});

test('a range holds all its times, a month at least, and a far future does not squeeze it', () => {
  const { from, to } = rangeOf([now - 100 * day, now - day], now);
  expect(from).toBeLessThan(now - 100 * day);
  expect(to).toBe(now);
  expect(rangeOf([], now).from).toBeLessThan(now - 30 * day);
  expect(rangeOf([0, 2 ** 40], now).to).toBe(now);
});

test.each([10, 40, 400, 4000, 40_000])('a range of %i days has a few ticks inside it', (length) => {
  const from = now - length * day;
  const ticks = ticksOf(from, now, 8);
  expect(ticks.length).toBeGreaterThan(0);
  expect(ticks.length).toBeLessThanOrEqual(12);
  for (const { at } of ticks) {
    expect(at).toBeGreaterThanOrEqual(from);
    expect(at).toBeLessThanOrEqual(now);
  }
});
