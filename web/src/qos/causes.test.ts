import { expect, test } from 'vitest';
import { causesOf } from './causes.ts';
import type { ExplainedNode } from './qos-types.ts';

const lost = (cost: number) => ({ value: 99, coverage: 100, cost_seconds: cost, spans: [], spans_left_out: 0 });
const node = (name: string, rest: Partial<ExplainedNode>): ExplainedNode => ({
  ...lost(10),
  label: 'Server',
  name,
  query: null,
  counted_seconds: 86_399,
  ...rest,
});
const check = (name: string, cost: number) => ({ ...lost(cost), check: name, points: 1, failure: null });

test('a check that several ways lead to is one cause, with the longest time', () => {
  const a = node('a', { checks: [check('disk', 60), check('load', 0)] });
  const again = node('a', { checks: [check('disk', 90)] });
  const b = node('b', { checks: [check('disk', 30)] });
  const root = node('root', { dependencies: [node('left', { dependencies: [b, a] }), again] });
  expect(causesOf(root).map(({ name, check: which, seconds }) => [name, which, seconds])).toEqual([
    ['a', 'disk', 90],
    ['b', 'disk', 30],
  ]);
});
