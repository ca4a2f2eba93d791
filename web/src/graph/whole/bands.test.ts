import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { placeInBands } from './bands.ts';
import { depthsOf } from './label-depth.ts';

function depths(labels: number, pairs: [number, number, number][]): number[] {
  const counts = new Float64Array(labels * labels);
  for (const [from, to, count] of pairs) counts[from * labels + to] = count;
  return depthsOf(labels, counts);
}

test('a label stands above what it depends on', () => {
  expect(
    depths(4, [
      [0, 1, 9],
      [1, 2, 9],
      [2, 3, 9],
      [0, 3, 1],
    ]),
  ).toEqual([3, 2, 1, 0]);
});

test('of two labels that depend on each other the more frequent direction counts', () => {
  expect(
    depths(2, [
      [0, 1, 9],
      [1, 0, 2],
    ]),
  ).toEqual([1, 0]);
});

test('a circle of labels has an end', () => {
  expect(
    depths(3, [
      [0, 1, 1],
      [1, 2, 1],
      [2, 0, 1],
    ]),
  ).toHaveLength(3);
});

test('each node has a place of its own, and bands do not mix', () => {
  const graph = fc.integer({ min: 1, max: 4 }).chain((labels) =>
    fc.record({
      labels: fc.constant(labels),
      label: fc.array(fc.nat({ max: labels - 1 }), { minLength: 1, maxLength: 120 }),
      pairs: fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 200 }),
    }),
  );
  fc.assert(
    fc.property(graph, ({ labels, label, pairs }) => {
      const relationships = pairs.flatMap(([a, b]) => [a % label.length, b % label.length]);
      const { x, y } = placeInBands(labels, label, relationships);
      expect(new Set(label.map((_, node) => `${x[node]} ${y[node]}`)).size).toBe(label.length);
      for (let a = 0; a < labels; a++)
        for (let b = 0; b < a; b++) {
          const rows = (of: number) => label.flatMap((one, node) => (one === of ? [y[node] ?? 0] : []));
          const [first, second] = [rows(a), rows(b)];
          if (first.length === 0 || second.length === 0) continue;
          const isApart = Math.max(...first) < Math.min(...second) || Math.max(...second) < Math.min(...first);
          expect(isApart).toBe(true);
        }
    }),
  );
});

test('a node stands near what it is connected with', () => {
  // Two families that share nothing, mixed in the order they come in.
  const label = Array.from({ length: 40 }, (_, i) => (i < 2 ? 0 : 1));
  const relationships = Array.from({ length: 38 }, (_, i) => [i + 2, i % 2]).flat();
  const { x } = placeInBands(2, label, relationships);
  const middle = (parity: number) =>
    Array.from({ length: 38 }, (_, i) => (i % 2 === parity ? (x[i + 2] ?? 0) : 0)).reduce((a, b) => a + b, 0) / 19;
  expect(Math.abs(middle(0) - middle(1))).toBeGreaterThan(2);
});
