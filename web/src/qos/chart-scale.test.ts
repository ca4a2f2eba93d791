import { expect, test } from 'vitest';
import { floorOf, heightOf, stretchesOf } from './chart-scale.ts';

test('the floor is a round number below the lowest figure and the objective', () => {
  expect(floorOf([100, 99.97])).toBe(99.9);
  expect(floorOf([100, 96.7, null])).toBe(95);
  expect(floorOf([100], 99.5)).toBe(99);
  expect(floorOf([0, 100])).toBe(0);
  expect(floorOf([])).toBe(99.9);
});

test('heights stay between the floor and the top', () => {
  expect([99, 99.5, 100, 98].map((value) => heightOf(value, 99))).toEqual([0, 0.5, 1, 0]);
});

test('a day without a figure is a gap', () => {
  expect(stretchesOf([null, 1, 2, null, null, 3])).toEqual([
    { start: 1, values: [1, 2] },
    { start: 5, values: [3] },
  ]);
});
