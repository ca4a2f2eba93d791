import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createNodeGrid } from './node-grid.ts';

const place = fc.float({ min: 0, max: 200, noNaN: true });
const places = fc.array(fc.tuple(place, place), { minLength: 1, maxLength: 60 });

test('the nearest node is the one that looking at all of them finds', () => {
  fc.assert(
    fc.property(places, place, place, fc.integer({ min: 1, max: 80 }), (nodes, px, py, reach) => {
      const [x, y] = [nodes.map(([a]) => a), nodes.map(([, b]) => b)];
      const isWanted = (node: number): boolean => node % 3 !== 1;
      const distances = nodes.map(([a, b], node) => (isWanted(node) ? Math.hypot(a - px, b - py) : Infinity));
      const found = createNodeGrid(x, y).nearest(px, py, reach, isWanted);
      const least = Math.min(...distances);
      expect(found === undefined ? undefined : distances[found]).toBe(least <= reach ? least : undefined);
    }),
  );
});

test('a box holds at least the nodes inside it, and says when they are too many', () => {
  fc.assert(
    fc.property(places, place, place, place, place, (nodes, a, b, c, d) => {
      const box = { left: Math.min(a, b), right: Math.max(a, b), top: Math.min(c, d), bottom: Math.max(c, d) };
      const grid = createNodeGrid(
        nodes.map(([x]) => x),
        nodes.map(([, y]) => y),
      );
      const inside = nodes.flatMap(([x, y], node) =>
        x >= box.left && x <= box.right && y >= box.top && y <= box.bottom ? [node] : [],
      );
      expect(grid.within(box, nodes.length)).toEqual(expect.arrayContaining(inside));
      const tooMany = inside.length === 0 ? undefined : grid.within(box, inside.length - 1);
      expect(tooMany).toBe(undefined);
    }),
  );
});
