import { expect, test } from 'vitest';
import { boundsOf, describeThreshold } from './threshold-words.ts';

test('a threshold is told in words', () => {
  expect([20, ':30', '16:27', '1:', '-1:-0.5'].map(describeThreshold)).toEqual([
    'at most 20',
    'at most 30',
    'from 16 to 27',
    'at least 1',
    'from -1 to -0.5',
  ]);
});

test('a number is an upper bound, a missing side is none', () => {
  expect([5, '1:', '1:2'].map(boundsOf)).toEqual([
    { low: null, high: 5 },
    { low: 1, high: null },
    { low: 1, high: 2 },
  ]);
});
