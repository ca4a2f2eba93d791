import { expect, test } from 'vitest';
import { barsOf } from './time-line.ts';

const at = (second: number): string => new Date(Date.UTC(2026, 10, 15, 10, 0, second)).toISOString();

test('bars lie between the first start and the last end', () => {
  const [first, second, waiting] = [
    { started: at(0), finished: at(5) },
    { started: at(5), finished: null },
    { started: null, finished: null },
  ];
  const bars = barsOf([first, second, waiting], Date.parse(at(10)));
  expect(bars.get(first)).toEqual({ offset: 0, width: 0.5 });
  expect(bars.get(second)).toEqual({ offset: 0.5, width: 0.5 });
  expect(bars.has(waiting)).toBe(false);
});

test('without a start there is no bar', () => {
  expect(barsOf([], 0).size).toBe(0);
});
