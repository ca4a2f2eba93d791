import fc from 'fast-check';
import { expect, test } from 'vitest';
import { displayWidth } from './table.ts';
import type { Status, Task } from './workflow-answers.ts';
import { describeSpan, drawTasks, layOut } from './workflow-draw.ts';
import { drawLanes } from './workflow-lanes.ts';
import { nodesOf } from './workflow-nodes.ts';

const at = (seconds: number) => new Date(Date.UTC(2026, 10, 15) + seconds * 1000).toISOString();
const nowMs = Date.parse(at(100));

/** `E < B C D` : E after B, C and D. Ids are keys; a second key of the same name would need another way. */
function tasksOf(text: string, more: Record<string, Partial<Task>> = {}): Task[] {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [key = '', previous = ''] = line.split('<').map((part) => part.trim());
      return makeTask(key, previous.split(' ').filter(Boolean), more[key]);
    });
}
const makeTask = (key: string, previous: string[], more: Partial<Task> = {}): Task => ({
  id: key,
  key,
  previous,
  status: 'pending',
  created: at(0),
  updated: at(0),
  ...more,
});
const ran = (status: Status, from: number, to?: number, more: Partial<Task> = {}): Partial<Task> => ({
  status,
  started: at(from),
  finished: to === undefined ? null : at(to),
  ...more,
});
const draw = (tasks: Task[], screen: { isStyled: boolean; width?: number } = { isStyled: false }) =>
  `\n${drawTasks(layOut(tasks), tasks, { screen, nowMs }).join('\n')}\n`;

test('a group is a fork and a join, a line each task', () => {
  const tasks = tasksOf(
    `A
     B < A
     C < A
     D < A
     E < B C D`,
    {
      A: ran('success', 0, 0.34),
      B: ran('success', 1, 3.5),
      C: ran('progress', 58, undefined, { attempt: 2, progress: 0.457 }),
      D: ran('error', 1, 90, { attempt: 3, error: { message: 'connection refused\nat x' } }),
    },
  );
  expect(draw(tasks)).toBe(`
●     A  340 ms
├─┬─┐
● │ │ B   2.5 s
│ ◐ │ C    42 s  attempt 2  45 %
│ │ ✗ D    1:29  attempt 3  connection refused
├─┴─┘
○     E
`);
});

test('a chain is a column', () => {
  expect(draw(tasksOf('A\nB < A\nC < B', { A: { status: 'canceled' } }))).toBe(`
⊘ A
○ B
○ C
`);
});

test('a chain beside a task, and an arrow that passes a layer', () => {
  expect(
    draw(
      tasksOf(`A
               LABEL < A
               RENDER < A
               UPLOAD < RENDER
               LAST < LABEL UPLOAD A`),
    ),
  ).toBe(`
○     A
├─┬─┐
○ │ │ LABEL
│ ○ │ RENDER
│ ○ │ UPLOAD
├─┴─┘
○     LAST
`);
});

test('an arrow that has to cross another does', () => {
  expect(
    draw(
      tasksOf(`A
               B < A
               C < A
               D < A
               E < B D
               F < C E`),
    ),
  ).toBe(`
○     A
├─┬─┐
○ │ │ B
│ ○ │ C
│ │ ○ D
├─│─┘
○ │   E
├─┘
○     F
`);
});

test('a group after a group meets in one point', () => {
  expect(
    draw(
      tasksOf(`A1
               A2
               B1 < A1 A2
               B2 < A1 A2
               B3 < A1 A2`),
    ),
  ).toBe(`
○     A1
│ ○   A2
├─┘
├─┬─┐
○ │ │ B1
  ○ │ B2
    ○ B3
`);
});

test('more than twelve siblings are one line with their numbers', () => {
  const packs = Array.from({ length: 1000 }, (_, index) => {
    const status = index < 830 ? 'success' : index < 840 ? 'progress' : 'pending';
    return makeTask(`PACK[${index}]`, ['A'], { status });
  });
  const last = makeTask(
    'LAST',
    packs.map((task) => task.id),
  );
  expect(draw([makeTask('A', [], ran('success', 0, 12)), ...packs, last])).toBe(`
● A              12 s
◐ PACK ×1,000  830 success, 10 running, 160 pending
○ LAST
`);
  const different = Array.from({ length: 13 }, (_, index) =>
    makeTask(`TASK ${String.fromCharCode(65 + index)}`, [], { status: index === 4 ? 'error' : 'success' }),
  );
  expect(draw(different)).toBe('\n✗ TASK A, TASK B, … ×13  12 success, 1 error\n');
});

test('a foreach has its end after its elements; many of them are one line that is as the foreach is', () => {
  const foreach = (count: number) => [
    makeTask('A', []),
    makeTask('EACH', ['A'], ran('progress', 58)),
    ...Array.from({ length: count }, (_, index) => makeTask(`EACH[${index}]`, ['A'], index === 0 ? ran('success', 58, 60) : {})), // biome-ignore format: one line
    makeTask('Z', ['EACH']),
  ];
  expect(draw(foreach(2))).toBe(`
○   A
├─┐
● │ EACH[0]   2.0 s
│ ○ EACH[1]
├─┘
◐   EACH       42 s
○   Z
`);
  expect(draw(foreach(20))).toBe(`
○ A
◐ EACH ×20    42 s  1 success, 19 pending
○ Z
`);
});

test('what a condition left out and what waits for a person say so', () => {
  const tasks = tasksOf('A\nB < A', { A: { status: 'success', is_skipped: true }, B: ran('progress', 40, undefined, { run: 'approval' }) }); // biome-ignore format: one line
  expect(draw(tasks)).toBe('\n● A  skipped\n◐ B    1:00  waits for approval\n');
});

test('a graph too wide for lanes is set in by its layers', () => {
  const numbers = Array.from({ length: 30 }, (_, index) => index);
  const wide = [
    ...numbers.map((each) => makeTask(`S${each}X`, [])),
    ...numbers.map((each) => makeTask(`T${each}X`, [`S${each}X`])),
  ];
  const lines = draw(wide).split('\n');
  expect(lines).toHaveLength(62);
  expect([lines[1], lines[31]]).toEqual(['○   S0X', '  ○ T0X']);
});

test('of more lines than there is room for, those around what runs stay, and the others are counted', () => {
  const chain = (running: string) =>
    ['A', 'B', 'C', 'D', 'E', 'F', 'G'].map((key, index, all) =>
      makeTask(key, index === 0 ? [] : [all[index - 1] ?? ''], key === running ? ran('progress', 99) : {}),
    );
  const cut = (running: string, height: number) => {
    const tasks = chain(running);
    return drawTasks(layOut(tasks), tasks, { screen: { isStyled: false }, nowMs, height });
  };
  expect(cut('C', 7)).toHaveLength(7);
  expect(cut('A', 5)).toEqual(['', '◐ A     1 s', '○ B', '○ C', '… 4 more below']);
  expect(cut('E', 5)).toEqual(['… 3 more above', '○ D', '◐ E     1 s', '○ F', '… 1 more below']);
  expect(cut('G', 5)).toEqual(['… 4 more above', '○ E', '○ F', '◐ G     1 s', '']);
});

test('hooks stand below the graph', () => {
  const tasks = tasksOf('A\nPAGE', { PAGE: { is_hook: true, ...ran('success', 0, 1) } });
  expect(draw(tasks)).toBe('\n○ A\n\nHooks\n● PAGE   1.0 s\n');
});

test('lines are cut at the width of the screen, and names cannot command it', () => {
  const tasks = tasksOf('A\nB\x1b[2J-with-a-long-name < A');
  expect(draw(tasks, { isStyled: false, width: 12 })).toBe('\n○ A\n○ B\ufffd[2J-wit…\n');
});

test('colours are around the mark', () => {
  const tasks = tasksOf('A', { A: ran('success', 0, 1) });
  expect(draw(tasks, { isStyled: true })).toBe('\n\u001b[32m●\u001b[39m A   1.0 s\n');
});

test('spans', () => {
  expect([0, 999, 1000, 9949, 9950, 59_499, 60_000, 3_725_000].map(describeSpan)).toEqual(
    ['0 ms', '999 ms', '1.0 s', '9.9 s', '10 s', '59 s', '1:00', '1:02:05'], // biome-ignore format: one line
  );
});

/** Any graph whose arrows go from earlier to later tasks. */
const anyTasks = fc
  .array(fc.array(fc.nat(), { maxLength: 4 }), { minLength: 1, maxLength: 25 })
  .map((list) => list.map((before, index) => makeTask(`T${index}x`, index === 0 ? [] : [...new Set(before.map((each) => `T${each % index}x`))]))); // biome-ignore format: one line

test('every task is drawn once, after everything it waits for, whatever order the server gives', () => {
  fc.assert(
    fc.property(
      anyTasks.chain((tasks) => fc.tuple(fc.constant(tasks), fc.shuffledSubarray(tasks, { minLength: tasks.length }))),
      ([tasks, shuffled]) => {
        const nodes = nodesOf(shuffled);
        const order = nodes.flatMap((node) => node.taskIds);
        expect(order.toSorted()).toEqual(tasks.map((task) => task.id).toSorted());
        for (const task of tasks)
          for (const id of task.previous) expect(order.indexOf(id)).toBeLessThan(order.indexOf(task.id));
      },
    ),
  );
});

test('every arrow that goes in comes out: a lane is neither lost nor left open', () => {
  fc.assert(
    fc.property(anyTasks, (tasks) => {
      const { rows, width } = drawLanes(nodesOf(tasks), 1000) ?? { rows: [], width: 0 };
      for (const row of rows) {
        const text = 'edges' in row ? row.edges : `${row.before}*${row.after}`;
        expect(displayWidth(text)).toBeLessThanOrEqual(width);
      }
      // The last line has nothing beside its task: all lanes have ended.
      const last = rows.at(-1);
      expect(last && 'node' in last && `${last.before}${last.after}`.trim()).toBe('');
    }),
  );
});
