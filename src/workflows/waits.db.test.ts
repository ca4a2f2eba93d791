import { beforeAll, expect, test } from 'vitest';
import { startWorkflowApp, statusesOf, taskOf, until, type WorkflowApp } from '../../test/harness/workflows.ts';

/** Tasks that wait for something other than a worker: a person, another instance, a moment. */

const workflows = `
t.ASK: { tasks: [ A, { OK: { type: approval, message: "Really, {{payload.id}}?" } }, B ] }
t.ASK_SHORT: { tasks: [ { OK: { type: approval, timeout: 0.2 } }, B ] }
t.SIGN: { tasks: [ { OK: { type: approval } } ] }
t.CHILD: { tasks: [ C, D ] }
t.STRICT: { schema: { type: object, required: [ id ] }, tasks: [ C ] }
t.PARENT: { tasks: [ A, { SUB: { type: workflow, workflow: t.CHILD, payload: "{ order: payload.id }" } }, B ] }
t.PARENT_SHORT: { tasks: [ { SUB: { type: workflow, workflow: t.CHILD, timeout: 2 } }, B ] }
t.PARENT_STRICT: { tasks: [ { SUB: { type: workflow, workflow: t.STRICT, payload: "{ x: 1 }" } } ] }
t.EMPTY_CHILD: { tasks: [ { S: { run: emit, with: { type: x } } } ] }
t.QUICK: { tasks: [ { SUB: { type: workflow, workflow: t.EMPTY_CHILD } } ] }
t.SLEEP: { tasks: [ { S: { run: sleep, with: { seconds: 0.05 } } }, B ] }
`;

let app: WorkflowApp;
beforeAll(async () => {
  app = await startWorkflowApp({ workflows });
});

const approve = (id: string, task: string, body?: object) =>
  app.tryTo('POST', `/api/workflows/${id}/tasks/${task}/approve`, body);
const isParked = (id: string, key: string) =>
  until(async () => taskOf(await app.detail(id), key).status === 'progress', `${key} waits`);
async function newestOf(name: string): Promise<string> {
  return (await app.arrange('GET', `/api/workflows?project=t&name=${name}&per_page=1`))[0]?.id;
}

test('an approval lets the instance go on and says who gave it', async () => {
  const { id } = await app.start('t.ASK', { id: 7 });
  const gate = taskOf(await app.detail(id), 'OK');
  expect((await approve(id, gate.id)).status).toBe(409);
  await app.worker().complete(await app.worker().take());
  await isParked(id, 'OK');
  expect((await approve(id, gate.id, { comment: 'go' })).status).toBe(201);
  expect(taskOf(await app.detail(id), 'OK').message).toBe('Really, 7?');
  const b = await app.worker().take();
  expect(b).toMatchObject({ key: 'B', previous: { by: 'admin', comment: 'go' } });
  await app.worker().complete(b);
  expect((await app.detail(id)).status).toBe('success');
  expect((await approve(id, gate.id)).status).toBe(409);
});

test('an approval is taken whenever it comes, also while the service begins to wait for it', async () => {
  const approveAtOnce = async () => {
    const { id } = await app.start('t.SIGN');
    const [gate] = (await app.detail(id)).tasks;
    return (await approve(id, gate.id)).status;
  };
  for (let round = 0; round < 10; round++) {
    expect(new Set(await Promise.all(Array.from({ length: 10 }, approveAtOnce)))).toEqual(new Set([201]));
  }
});

test('a message may hold what the database could not look into', async () => {
  const { id } = await app.start('t.ASK', { id: 'a\u0000\ud800b' });
  await app.worker().complete(await app.worker().take());
  await until(async () => taskOf(await app.detail(id), 'OK').message !== null, 'it asks');
  expect(taskOf(await app.detail(id), 'OK').message).toBe('Really, a\ufffd\ufffdb?');
  await app.tryTo('POST', `/api/workflows/${id}/cancel`);
});

test('an approval of what waits for none, or is not there, is refused', async () => {
  const { id } = await app.start('t.ASK');
  const [a] = (await app.detail(id)).tasks;
  expect((await approve(id, a.id)).status).toBe(409);
  expect((await approve(id, id)).status).toBe(404);
  expect((await approve(id, 'nonsense')).status).toBe(404);
  expect((await approve(a.id, a.id)).status).toBe(404);
  await app.tryTo('POST', `/api/workflows/${id}/cancel`);
});

test('an approval that nobody gives in time fails the instance', async () => {
  const { id } = await app.start('t.ASK_SHORT');
  const instance = await app.ended(id);
  expect([instance.status, statusesOf(instance)]).toEqual(['error', { OK: 'error', B: 'canceled' }]);
  expect(taskOf(instance, 'OK').error?.message).toBe('Nobody approved it within 0.2 s.');
});

test('a sub-workflow runs with the payload of its expression, and its instance is the result', async () => {
  const { id } = await app.start('t.PARENT', { id: 7 });
  const payloads: unknown[] = [];
  const instance = await app.run(id, (task) => {
    if (task.key === 'C') payloads.push(task.payload);
    return undefined;
  });
  expect(instance.status).toBe('success');
  expect(payloads).toEqual([{ order: 7 }]);
  const child = await newestOf('CHILD');
  const sub = taskOf(instance, 'SUB');
  expect(sub.result).toEqual({ instance: child, status: 'success' });
  expect(sub.child).toBe(child);
  expect((await app.detail(child)).parent).toEqual({ instance: id, task: sub.id });
  expect(instance.parent).toBeNull();
});

test('a sub-workflow that fails fails its task with the reason', async () => {
  const { id } = await app.start('t.PARENT', { id: 7 });
  const instance = await app.run(id, (task) => (task.key === 'D' ? { error: 'no D' } : undefined));
  expect([instance.status, statusesOf(instance)]).toEqual(['error', { A: 'success', SUB: 'error', B: 'canceled' }]);
  expect(taskOf(instance, 'SUB').error?.message).toMatch(/^t\.CHILD \(.*\) ended as error: no D$/);
});

test('a sub-workflow whose payload does not fit fails its task', async () => {
  const { id } = await app.start('t.PARENT_STRICT');
  expect(taskOf(await app.ended(id), 'SUB').error?.message).toMatch(/does not fit the schema of t\.STRICT/);
});

test('a cancel goes down to the instances that were started', async () => {
  const { id } = await app.start('t.PARENT', { id: 7 });
  await app.worker().complete(await app.worker().take());
  const task = await app.worker().take();
  expect(task.key).toBe('C');
  await app.tryTo('POST', `/api/workflows/${id}/cancel`);
  expect((await app.ended(id)).status).toBe('canceled');
  expect((await app.worker().report({ running: [{ id: task.id, attempt: 1 }] })).canceled).toEqual([task.id]);
  await app.worker().fail(task);
  expect((await app.ended(task.instance.id)).status).toBe('canceled');
});

test('a canceled child fails the task that waits for it', async () => {
  const { id } = await app.start('t.PARENT', { id: 7 });
  await app.worker().complete(await app.worker().take());
  let child: string | undefined;
  await until(async () => {
    child = await newestOf('CHILD');
    return child !== undefined && (await app.detail(child)).status === 'pending';
  }, 'the child is there');
  await app.tryTo('POST', `/api/workflows/${child}/cancel`);
  const instance = await app.ended(id);
  expect([instance.status, statusesOf(instance)]).toEqual(['error', { A: 'success', SUB: 'error', B: 'canceled' }]);
});

test('a child that ends before its parent begins to wait is not overlooked', async () => {
  const started = await Promise.all(Array.from({ length: 20 }, () => app.start('t.QUICK')));
  for (const { id } of started) expect((await app.ended(id)).status).toBe('success');
});

test('a sub-workflow that takes too long fails its task and is canceled', async () => {
  const { id } = await app.start('t.PARENT_SHORT');
  const instance = await app.ended(id);
  expect([instance.status, statusesOf(instance)]).toEqual(['error', { SUB: 'error', B: 'canceled' }]);
  expect(taskOf(instance, 'SUB').error?.message).toBe('It timed out after 2 s.');
  expect((await app.ended(await newestOf('CHILD'))).status).toBe('canceled');
});

test('a sleep takes no worker', async () => {
  const { id } = await app.start('t.SLEEP');
  const task = await app.worker().take();
  expect([task.key, task.previous]).toEqual(['B', null]);
  await app.worker().complete(task);
  expect(taskOf(await app.detail(id), 'S')).toMatchObject({ status: 'success', attempt: 1 });
});
