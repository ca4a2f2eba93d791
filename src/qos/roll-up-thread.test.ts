import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { DependencyTable } from '../graph/graph.service.ts';
import { type FigureRow, rowsOf, toFigures } from './figures.ts';
import { createRollUpThread } from './roll-up-thread.ts';
import { DAY_SECONDS } from './states.ts';
import { FALSE_DAY, TRUE_DAY } from './timeline.ts';
import { encodeTimeline } from './timeline-bytes.ts';

/** Node 7 depends on 1 and 2 all day. */
const table = (): DependencyTable => ({
  nodes: Uint32Array.of(7),
  rowStart: Uint32Array.of(0, 2),
  dependency: Uint32Array.of(1, 2),
  from: Uint32Array.of(0, 0),
  to: Uint32Array.of(DAY_SECONDS, DAY_SECONDS),
  names: [],
});
const good: FigureRow = { id: 1, value: 100, coverage: 100, timeline: encodeTimeline(TRUE_DAY) };
const bad: FigureRow = { id: 2, value: 0, coverage: 50, timeline: encodeTimeline(FALSE_DAY) };
const and = { kind: 'operation', operator: 'AND', labels: ['Any'] } as const;
const query = { ...and, labels: [...and.labels] };

test('a thread rolls up, several at once, and again after it rested', async () => {
  const thread = createRollUpThread({ idleMs: 1 });
  const ask = async () => [...rowsOf(await thread.rollUp(table(), toFigures([good, bad]), query))];
  const expected = [{ id: 7, value: 0, coverage: 75, timeline: encodeTimeline(FALSE_DAY) }];
  expect(await Promise.all([ask(), ask(), ask()])).toEqual([expected, expected, expected]);
  await sleep(50);
  expect(await ask()).toEqual(expected);
  await thread.close();
});

test('figures that cannot be read are refused, and the thread goes on', async () => {
  const thread = createRollUpThread();
  const broken = toFigures([{ ...good, timeline: Uint8Array.of(9) }]);
  await expect(thread.rollUp(table(), broken, query)).rejects.toThrow('not a timeline');
  expect([...rowsOf(await thread.rollUp(table(), toFigures([good]), query))]).toMatchObject([
    { value: 100, coverage: 50 },
  ]);
  await thread.close();
  await expect(thread.rollUp(table(), toFigures([good]), query)).rejects.toThrow('closed');
});
