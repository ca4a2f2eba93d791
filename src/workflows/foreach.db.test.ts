import { beforeAll, expect, test } from 'vitest';
import { type Act, startWorkflowApp, statusesOf, taskOf, type WorkflowApp } from '../../test/harness/workflows.ts';
import type { WorkerTask } from './worker.schemas.ts';

const workflows = `
t.EACH: { tasks: [ A, { EACH: { type: foreach, over: "results.A", task: B, concurrency: 3, with: { is: "{{item}} at {{index}}" } } }, C ] }
t.ALL: { tasks: [ { EACH: { type: foreach, over: "payload.list", task: B } } ] }
t.RETRY: { tasks: [ { EACH: { type: foreach, over: "payload.list", task: B, concurrency: 2, retry: { attempts: 2, delay: 0 } } }, C ] }
t.SLEEPS: { tasks: [ { EACH: { type: foreach, over: "payload.list", task: sleep, with: { seconds: 0 } } } ] }
`;

let app: WorkflowApp;
beforeAll(async () => {
  app = await startWorkflowApp({ workflows });
});

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);
const listOf =
  (list: number[]): Act =>
  (task) =>
    task.key === 'A' ? { result: list } : undefined;

test('each element runs once, results come back in the order of the list', async () => {
  const seen: WorkerTask[] = [];
  const { id } = await app.start('t.EACH');
  const instance = await app.run(id, (task) => {
    if (task.key.startsWith('EACH')) seen.push(task);
    if (task.key === 'A') return { result: ['x', 'y', 'z'] };
    return task.index === undefined ? undefined : { result: task.index * 10 };
  });
  expect(instance.status).toBe('success');
  expect(taskOf(instance, 'EACH').result).toEqual([0, 10, 20]);
  expect(seen.map(({ key, item, index, with: given, run }) => [key, item, index, given, run])).toEqual([
    ['EACH[0]', 'x', 0, { is: 'x at 0' }, 'B'],
    ['EACH[1]', 'y', 1, { is: 'y at 1' }, 'B'],
    ['EACH[2]', 'z', 2, { is: 'z at 2' }, 'B'],
  ]);
  expect(instance.tasks.map(({ key }) => key)).toEqual(['A', 'EACH', 'EACH[0]', 'EACH[1]', 'EACH[2]', 'C']);
  const each = taskOf(instance, 'EACH').id;
  const places = instance.tasks.map(({ parent, element }) => [parent, element]);
  expect(places).toEqual([
    [null, null],
    [null, null],
    [each, 0],
    [each, 1],
    [each, 2],
    [null, null],
  ]);
});

test('what follows sees the list as its previous result', async () => {
  const { id } = await app.start('t.EACH');
  let previous: unknown;
  await app.run(id, (task) => {
    if (task.key === 'C') previous = task.previous;
    return listOf([1, 2])(task);
  });
  expect(previous).toEqual(['EACH[0]', 'EACH[1]']);
});

test('an empty list is done at once', async () => {
  const { id } = await app.start('t.EACH');
  const instance = await app.run(id, listOf([]));
  expect(instance.status).toBe('success');
  expect(statusesOf(instance)).toEqual({ A: 'success', EACH: 'success', C: 'success' });
  expect(taskOf(instance, 'EACH').result).toEqual([]);
});

test('at no moment do more elements run than the concurrency allows', async () => {
  const { id } = await app.start('t.EACH');
  const worker = app.worker();
  await worker.complete(await worker.take(), numbers(10));
  const running: WorkerTask[] = [];
  let most = 0;
  for (let done = 0; done < 10; ) {
    running.push(...(await worker.claim({ max: 100, wait_seconds: 0.1 })));
    most = Math.max(most, running.length);
    expect(running.length).toBeLessThanOrEqual(3);
    const inProgress = (await app.detail(id)).tasks.filter((task) => /\[/.test(task.key) && task.status === 'progress');
    expect(inProgress.length).toBeLessThanOrEqual(3);
    // Not always the oldest, and sometimes two in one report.
    const two = running.splice(done % 2, done % 3 === 0 ? 2 : 1);
    done += two.length;
    await worker.report({ completed: two.map((task) => ({ id: task.id, attempt: task.attempt, result: null })) });
  }
  expect(most).toBe(3);
  expect((await app.run(id)).status).toBe('success');
});

test('a list of one thousand', async () => {
  const { id } = await app.start('t.ALL', { list: numbers(1000) });
  const worker = app.worker();
  const done = new Set<number>();
  for (;;) {
    const tasks = await worker.claim({ max: 250, wait_seconds: 0.2 });
    if (tasks.length === 0 && (await app.detail(id)).finished !== null) break;
    for (const { index } of tasks) {
      expect(done.has(index ?? -1)).toBe(false);
      done.add(index ?? -1);
    }
    const completed = tasks.map((task) => ({ id: task.id, attempt: task.attempt, result: task.index }));
    if (completed.length > 0) await worker.report({ completed });
  }
  expect(done.size).toBe(1000);
  expect(taskOf(await app.detail(id), 'EACH').result).toEqual(numbers(1000));
});

test('an element that fails fails the foreach, cancels those not begun and lets the others end', async () => {
  const { id } = await app.start('t.EACH');
  const worker = app.worker();
  await worker.complete(await worker.take(), numbers(5));
  const running: WorkerTask[] = [];
  while (running.length < 3) running.push(...(await worker.claim({ max: 3, wait_seconds: 1 })));
  await worker.fail(running[1], 'no good');
  expect(statusesOf(await app.detail(id))).toEqual({
    A: 'success',
    EACH: 'error',
    'EACH[0]': 'progress',
    'EACH[1]': 'error',
    'EACH[2]': 'progress',
    'EACH[3]': 'canceled',
    'EACH[4]': 'canceled',
    C: 'canceled',
  });
  expect((await app.detail(id)).finished).toBeNull();
  await worker.complete(running[0]);
  await worker.fail(running[2], 'bad too');
  const instance = await app.ended(id);
  expect(instance.status).toBe('error');
  expect(taskOf(instance, 'EACH').error?.message).toBe('EACH[1] failed: no good');
});

test('an element that is tried again keeps its place', async () => {
  const { id } = await app.start('t.RETRY', { list: numbers(4) });
  const instance = await app.run(id, (task) =>
    task.index !== undefined && task.attempt === 1 ? { error: 'first time' } : undefined,
  );
  expect(instance.status).toBe('success');
  expect(taskOf(instance, 'EACH[3]').attempt).toBe(2);
});

test('the service itself can be what runs for each', async () => {
  const { id } = await app.start('t.SLEEPS', { list: numbers(3) });
  expect(taskOf(await app.ended(id), 'EACH').result).toEqual([null, null, null]);
});

test('what is no list fails with a sentence', async () => {
  const { id } = await app.start('t.ALL', { list: 'abc' });
  const instance = await app.ended(id);
  expect([instance.status, taskOf(instance, 'EACH').error?.message]).toEqual(['error', '"payload.list" is no list.']);
});

test('a list that is too long fails with a sentence', async () => {
  const { id } = await app.start('t.ALL', { list: numbers(10_001) });
  const instance = await app.ended(id);
  expect(taskOf(instance, 'EACH').error?.message).toBe('Its list has 10001 elements; 10000 are possible.');
});
