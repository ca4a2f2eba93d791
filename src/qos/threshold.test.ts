import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseThreshold, printThreshold } from './threshold.ts';

test.each([
  [5, { low: null, high: 5 }],
  ['1:5', { low: 1, high: 5 }],
  ['1:', { low: 1, high: null }],
  [':5', { low: null, high: 5 }],
  [' -1e-3 : +.5 ', { low: -0.001, high: 0.5 }],
  ['2:2', { low: 2, high: 2 }],
])('%j is %j', (given, bounds) => {
  expect(parseThreshold(given)).toEqual(bounds);
});

test.each(['', ':', '5', '5:1', 'a:b', '1:2:3', '1e999:', 'NaN:', '0x1:'])('%j is refused with a sentence', (given) => {
  expect(parseThreshold(given)).toEqual(expect.any(String));
});

test('what is printed is read back', () => {
  const bound = fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0));
  fc.assert(
    fc.property(bound, bound, (low, high) => {
      fc.pre((low !== null || high !== null) && (low === null || high === null || low <= high));
      expect(parseThreshold(printThreshold({ low, high }))).toEqual({ low, high });
    }),
  );
});
