import { expect, test } from 'vitest';
import { daysBetween, floorOf, knownStretches } from './chart-scale.ts';

test.each([
  [[100, 99.95], 99.9],
  [[100, 99.9], 99.5],
  [[97], 95],
  [[0], 0],
  [[], 99.9],
])('values %j are drawn from %d', (values, floor) => {
  expect(floorOf(values)).toBe(floor);
});

test('days without a figure divide the line', () => {
  expect(knownStretches([null, 1, 2, null, 3, null])).toEqual([
    [1, 2],
    [4, 4],
  ]);
  expect(knownStretches([])).toEqual([]);
});

test('days are counted across months, and through changes of the clocks', () => {
  expect(daysBetween('2026-02-27', '2026-03-02')).toEqual(['2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02']);
  expect(daysBetween('2026-01-01', '2026-12-31')).toHaveLength(365);
});
