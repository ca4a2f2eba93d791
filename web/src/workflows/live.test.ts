import { expect, test } from 'vitest';
import { applyEvents, type LiveEvent } from './live.ts';
import { anInstance, aTask } from './testing.ts';

const at = '2026-11-15T10:00:05.000Z';
const of = (id: string, more: Partial<LiveEvent & { event: 'task' }> = {}): LiveEvent => ({
  event: 'task',
  task_id: id,
  status: 'progress',
  attempt: 1,
  at,
  ...more,
});

test('a task that begins has a start and no progress of a former attempt', () => {
  const before = anInstance([aTask('A', { progress: 0.9 }), aTask('B')]);
  const after = applyEvents(before, [of('A', { attempt: 2 })]);
  expect(after.tasks[0]).toMatchObject({ status: 'progress', attempt: 2, progress: null, started: at });
  expect(after.tasks[1]).toBe(before.tasks[1]);
});

test('progress is kept until more is told', () => {
  const instance = anInstance([aTask('A', { status: 'progress', started: at })]);
  const after = applyEvents(instance, [of('A', { progress: 0.5 }), of('A')]);
  expect(after.tasks[0]).toMatchObject({ progress: 0.5 });
});

test('several events of several tasks come in their order', () => {
  const instance = anInstance([aTask('A'), aTask('B')]);
  const after = applyEvents(instance, [of('A'), of('B'), of('A', { status: 'success' })]);
  expect(after.tasks.map(({ status }) => status)).toEqual(['success', 'progress']);
});

test('old news changes nothing that has ended', () => {
  const done = anInstance([aTask('A', { status: 'success', finished: at })], { status: 'success', finished: at });
  expect(applyEvents(done, [of('A'), { event: 'instance', status: 'progress', at }])).toBe(done);
});

test('news of a task that is not known yet changes nothing', () => {
  const instance = anInstance([aTask('A')]);
  expect(applyEvents(instance, [of('A[0]')])).toBe(instance);
});

test('an instance begins with its first task', () => {
  const instance = anInstance([aTask('A')], { status: 'pending', started: null });
  const after = applyEvents(instance, [{ event: 'instance', status: 'progress', at }, of('A')]);
  expect(after).toMatchObject({ status: 'progress', started: at, tasks: [{ status: 'progress' }] });
});
