import fc from 'fast-check';
import { expect, test } from 'vitest';
import { drawingOfTasks } from './drawing.ts';
import { groupElements } from './elements.ts';
import { layOut, nodeSize, pathOf } from './layout.ts';
import { aTask } from './testing.ts';

const named = (drawing: ReturnType<typeof drawingOfTasks>) => drawing.edges.map(({ from, to }) => `${from} > ${to}`);

test('lines follow `previous`', () => {
  const tasks = [aTask('A'), aTask('B', { previous: ['A'] }), aTask('C', { previous: ['A', 'B'] })];
  expect(named(drawingOfTasks(tasks))).toEqual(['A > B', 'A > C', 'B > C']);
});

test('a group after a group goes through a junction', () => {
  const after = { previous: ['A', 'B'] };
  const drawing = drawingOfTasks([aTask('A'), aTask('B'), aTask('C', after), aTask('D', after)]);
  expect(drawing.nodes.filter(({ isJunction }) => isJunction)).toHaveLength(1);
  expect(named(drawing)).toEqual(['A > junction of C', 'B > junction of C', 'junction of C > C', 'junction of C > D']);
});

test('hooks and the elements of a foreach are not drawn by themselves', () => {
  const tasks = [
    aTask('EACH'),
    aTask('EACH[1]', { parent: 'EACH', element: 1 }),
    aTask('EACH[0]', { parent: 'EACH', element: 0 }),
    aTask('THANK', { is_hook: true }),
  ];
  expect(drawingOfTasks(tasks).nodes.map(({ id }) => id)).toEqual(['EACH']);
  expect(
    groupElements(tasks)
      .get('EACH')
      ?.map(({ key }) => key),
  ).toEqual(['EACH[0]', 'EACH[1]']);
});

/** Tasks that follow any of those before them. */
const workflows = fc
  .array(fc.array(fc.nat(), { maxLength: 3 }), { minLength: 1, maxLength: 25 })
  .map((all) =>
    all.map((choices, place) =>
      aTask(`T${place}`, { previous: place === 0 ? [] : [...new Set(choices.map((n) => `T${n % place}`))] }),
    ),
  );

test('whoever could be reached can still be reached through junctions', () => {
  fc.assert(
    fc.property(workflows, (tasks) => {
      const { edges } = drawingOfTasks(tasks);
      const reach = (id: string): string[] =>
        edges.filter(({ to }) => to === id).flatMap(({ from }) => (from.startsWith('junction') ? reach(from) : [from]));
      for (const { id, previous } of tasks) expect(reach(id).toSorted()).toEqual(previous.toSorted());
    }),
  );
});

test('nodes never overlap, lie inside the picture, and stand behind what they follow', () => {
  fc.assert(
    fc.property(workflows, fc.constantFrom('right', 'down'), (tasks, direction) => {
      const { nodes, width, height } = layOut(drawingOfTasks(tasks), direction);
      const places = tasks.map(({ id }) => nodes.get(id) ?? { x: Number.NaN, y: Number.NaN });
      const axis = direction === 'right' ? 'x' : 'y';
      places.forEach((one, index) => {
        expect(one.x - nodeSize.width / 2).toBeGreaterThanOrEqual(0);
        expect(one.y - nodeSize.height / 2).toBeGreaterThanOrEqual(0);
        expect(one.x + nodeSize.width / 2).toBeLessThanOrEqual(width);
        expect(one.y + nodeSize.height / 2).toBeLessThanOrEqual(height);
        for (const previous of tasks[index]?.previous ?? []) {
          expect(nodes.get(previous)?.[axis]).toBeLessThan(one[axis]);
        }
        for (const other of places.slice(index + 1)) {
          const isApart = Math.abs(one.x - other.x) >= nodeSize.width || Math.abs(one.y - other.y) >= nodeSize.height;
          expect(isApart).toBe(true);
        }
      });
    }),
    { numRuns: 40 },
  );
});

test('a line is drawn through its points', () => {
  expect(
    pathOf(
      [
        { x: 0, y: 0 },
        { x: 10, y: 20 },
      ],
      'right',
    ),
  ).toBe('M0 0C5 0 5 20 10 20');
  expect(
    pathOf(
      [
        { x: 0, y: 0 },
        { x: 10, y: 20 },
      ],
      'down',
    ),
  ).toBe('M0 0C0 10 10 10 10 20');
  expect(pathOf([], 'right')).toBe('');
});
