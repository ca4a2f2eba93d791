import { expect, test } from 'vitest';
import { evaluateRule } from './rule-day.ts';
import type { Point } from './timeline.ts';

const check = (checkName: string, fetched: { points: Point[] } | { failure: string }) => ({
  checkId: checkName,
  checkName,
  threshold: { low: 1, high: null, isFilled: true },
  fetched: 'points' in fetched ? { series: [fetched.points] } : fetched,
});
const upUntil = (second: number): Point[] => [
  [0, 1],
  [second, 0],
  [86_399, 0],
];

test('a rule is good while all its checks are', () => {
  const { rule } = evaluateRule(
    [
      check('a', { points: upUntil(43_200) }),
      check('b', {
        points: [
          [0, 1],
          [86_399, 1],
        ],
      }),
    ],
    0,
  );
  expect(rule).toMatchObject({ value: 50.001, coverage: 100 });
});

test('a check that failed is left out, says why, and lowers the coverage', () => {
  const { rule, checks } = evaluateRule(
    [check('a', { points: upUntil(43_200) }), check('b', { failure: 'The source is away.' })],
    0,
  );
  expect(rule).toMatchObject({ value: 50.001, coverage: 50 });
  expect(checks[1]).toMatchObject({ value: null, timeline: null, failure: 'The source is away.' });
});

test.each([
  ['no checks', []],
  ['checks without points', [check('a', { points: [] })]],
  ['checks that failed', [check('a', { failure: 'Away.' })]],
])('nothing is known with %s', (_, checks) => {
  expect(evaluateRule(checks, 0).rule).toEqual({ value: null, coverage: 0, timeline: null });
});
