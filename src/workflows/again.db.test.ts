import { beforeAll, expect, test } from 'vitest';
import {
  type Instance,
  startWorkflowApp,
  statusesOf,
  taskOf,
  until,
  type WorkflowApp,
} from '../../test/harness/workflows.ts';

/** Relaunch and retry, and the hooks beside an instance. */

const workflows = `
t.GROUP: { tasks: [ A, { BOTH: { type: group, tasks: [ B, C ] } }, D ] }
t.EACH: { tasks: [ A, { EACH: { type: foreach, over: "results.A", task: B } }, C ] }
t.HOOKED: { hooks: { init: I, success: G, failure: H }, tasks: [ A, B ] }
`;

let app: WorkflowApp;
beforeAll(async () => {
  app = await startWorkflowApp({ workflows });
});

const again = async (id: string, how: 'relaunch' | 'retry'): Promise<Instance> => {
  const answer = await app.tryTo('POST', `/api/workflows/${id}/${how}`);
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};
const hooksEnd = (id: string) =>
  until(async () => (await app.detail(id)).tasks.every(({ finished }) => finished !== null), 'hooks have ended');

test('a relaunch runs all of it again with the former payload', async () => {
  const first = await app.start('t.GROUP', { n: 5 });
  await app.run(first.id);
  const second = await again(first.id, 'relaunch');
  expect(second).toMatchObject({ relaunched_from: first.id, payload: { n: 5 }, status: 'pending', periodic: false });
  expect(second.id).not.toBe(first.id);
  const instance = await app.run(second.id);
  expect(instance.tasks.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1]);
  expect((await app.tryTo('POST', `/api/workflows/${first.id}x/relaunch`)).status).toBe(404);
});

test('a retry keeps what had succeeded and runs the rest', async () => {
  const first = await app.start('t.GROUP', { n: 5 });
  const failed = await app.run(first.id, ({ key }) => (key === 'C' ? { error: 'no' } : { result: `first ${key}` }));
  expect(statusesOf(failed)).toEqual({ A: 'success', B: 'success', C: 'error', D: 'canceled' });
  const second = await again(first.id, 'retry');
  expect(second).toMatchObject({ relaunched_from: first.id, payload: { n: 5 } });
  const ran: unknown[] = [];
  const instance = await app.run(second.id, (task) => {
    ran.push([task.key, task.previous, task.results]);
    return undefined;
  });
  expect(ran).toEqual([
    ['C', 'first A', { A: 'first A' }],
    ['D', ['first B', 'C'], { A: 'first A', B: 'first B', C: 'C' }],
  ]);
  expect(instance.status).toBe('success');
  expect(taskOf(instance, 'B')).toMatchObject({ result: 'first B', status: 'success' });
  // The former instance is as it was.
  expect(statusesOf(await app.detail(first.id))).toEqual(statusesOf(failed));
});

test('a retry of a foreach runs only the elements that had not succeeded, also the second time', async () => {
  const { id } = await app.start('t.EACH');
  await app.run(id, ({ key, index }) => {
    if (key === 'A') return { result: [1, 2, 3, 4] };
    return index === undefined || index % 2 === 0 ? undefined : { error: 'odd' };
  });
  const runOf = async (from: string, failing: number[]) => {
    const ran: string[] = [];
    const next = await again(from, 'retry');
    const instance = await app.run(next.id, ({ key, index }) => {
      ran.push(key);
      return index !== undefined && failing.includes(index) ? { error: 'still' } : undefined;
    });
    return { ran: ran.toSorted(), instance };
  };
  const before = (await app.detail(id)).tasks.filter(({ status }) => status === 'success').map(({ key }) => key);
  const second = await runOf(id, [3]);
  for (const key of before) expect(second.ran).not.toContain(key);
  expect(second.instance.status).toBe('error');
  const third = await runOf(second.instance.id, []);
  expect(third.ran).toEqual(['C', 'EACH[3]']);
  expect(third.instance.status).toBe('success');
  expect(taskOf(third.instance, 'EACH').result).toEqual(['EACH[0]', 'EACH[1]', 'EACH[2]', 'EACH[3]']);
});

test('a retry of what succeeded, or has not ended, is refused', async () => {
  const { id } = await app.start('t.GROUP');
  expect((await app.tryTo('POST', `/api/workflows/${id}/retry`)).status).toBe(409);
  await app.run(id);
  expect((await app.tryTo('POST', `/api/workflows/${id}/retry`)).status).toBe(409);
});

test('a retry of an instance that was canceled when all was done ends at once', async () => {
  const { id } = await app.start('t.HOOKED');
  const worker = app.worker();
  await worker.complete(await worker.take({ tasks: ['A'] }));
  const b = await worker.take({ tasks: ['B'] });
  await app.tryTo('POST', `/api/workflows/${id}/cancel`);
  await worker.complete(b);
  expect(await app.detail(id)).toMatchObject({ status: 'canceled' });
  expect(await again(id, 'retry')).toMatchObject({ status: 'success' });
  for (const task of await worker.claim({ max: 10 })) await worker.complete(task);
});

test('hooks run beside the tasks and are told what happened', async () => {
  const { id } = await app.start('t.HOOKED', { n: 1 });
  const told: unknown[] = [];
  const instance = await app.run(id, (task) => {
    if (task.hook) told.push([task.key, task.hook, task.results, task.previous]);
    return undefined;
  });
  await hooksEnd(id);
  expect(instance.status).toBe('success');
  expect(told).toEqual([
    ['I', { outcome: 'init', status: expect.any(String), failed: null }, {}, null],
    ['G', { outcome: 'success', status: 'success', failed: null }, { A: 'A', B: 'B' }, null],
  ]);
  const { tasks } = await app.detail(id);
  expect(tasks.filter(({ is_hook }) => is_hook).map(({ key, previous }) => [key, previous])).toEqual([
    ['G', []],
    ['I', []],
  ]);
});

test('the hook of a failure is told which task failed', async () => {
  const { id } = await app.start('t.HOOKED');
  let hook: unknown;
  await app.run(id, (task) => {
    if (task.key === 'H') hook = task.hook;
    return task.key === 'B' ? { error: 'no B' } : undefined;
  });
  await hooksEnd(id);
  const failed = { id: expect.any(String), key: 'B', error: { message: 'no B' } };
  expect(hook).toEqual({ outcome: 'failure', status: 'error', failed });
});

test.each(['I', 'G'])('a hook %s that fails changes nothing', async (key) => {
  const { id } = await app.start('t.HOOKED');
  const instance = await app.run(id, (task) => (task.key === key ? { error: 'hook' } : undefined));
  await hooksEnd(id);
  expect(instance.status).toBe('success');
  const after = await app.detail(id);
  expect([after.status, after.finished]).toEqual([instance.status, instance.finished]);
  expect(statusesOf(after)).toEqual({
    A: 'success',
    B: 'success',
    'hook:I': key === 'I' ? 'error' : 'success',
    'hook:G': key === 'G' ? 'error' : 'success',
  });
});

test('an instance with a hook that still runs is not deleted', async () => {
  const { id } = await app.start('t.HOOKED');
  const worker = app.worker();
  let hook = await worker.take({ tasks: ['I'] });
  await worker.complete(hook);
  await worker.complete(await worker.take({ tasks: ['A'] }));
  await worker.complete(await worker.take({ tasks: ['B'] }));
  hook = await worker.take({ tasks: ['G'] });
  expect((await app.detail(id)).status).toBe('success');
  expect((await app.tryTo('DELETE', `/api/workflows/${id}`)).status).toBe(409);
  await worker.complete(hook);
  expect((await app.tryTo('DELETE', `/api/workflows/${id}`)).status).toBe(200);
});
