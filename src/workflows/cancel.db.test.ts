import { beforeAll, expect, test } from 'vitest';
import { startWorkflowApp, statusesOf, taskOf, until, type WorkflowApp } from '../../test/harness/workflows.ts';

const workflows = `
t.PLAIN: { tasks: [ A, B ] }
t.HOOKED: { hooks: { init: I, success: G, failure: H }, tasks: [ A, B ] }
t.TWO: { tasks: [ { BOTH: { type: group, tasks: [ A, B ] } }, C ] }
t.SHORT: { timeout: 2, tasks: [ A, B ] }
t.SHORT_WAIT: { timeout: 2, tasks: [ { BOTH: { type: group, tasks: [ A, { OK: { type: approval } } ] } } ] }
t.SHORT_SUB: { timeout: 2, tasks: [ { SUB: { type: workflow, workflow: t.PLAIN } } ] }
t.SLEEPS: { tasks: [ { S: { run: sleep, with: { seconds: 3600 } } }, B ] }
t.WHEN: { tasks: [ { A: { when: "1 > 0" } } ] }
`;

let app: WorkflowApp;
beforeAll(async () => {
  app = await startWorkflowApp({ workflows, limits: { graceSeconds: 2 } });
});

const cancel = (id: string) => app.tryTo('POST', `/api/workflows/${id}/cancel`);

test('an instance that has not begun ends at once, without hooks of its end', async () => {
  const { id } = await app.start('t.HOOKED');
  const answer = await cancel(id);
  expect([answer.status, answer.body.status]).toEqual([201, 'canceled']);
  expect(statusesOf(answer.body)).toMatchObject({ A: 'canceled', B: 'canceled' });
  expect(answer.body.finished).not.toBeNull();
  const init = await app.worker().take();
  expect(init.key).toBe('I');
  await app.worker().complete(init);
  expect(await app.worker().claim()).toEqual([]);
});

test('what runs is asked to stop; when it does, the instance is canceled', async () => {
  const { id } = await app.start('t.PLAIN');
  const worker = app.worker();
  const task = await worker.take();
  expect((await cancel(id)).body).toMatchObject({ status: 'progress' });
  expect(statusesOf(await app.detail(id))).toEqual({ A: 'progress', B: 'canceled' });
  expect((await worker.report({ running: [{ id: task.id, attempt: 1 }] })).canceled).toEqual([task.id]);
  await worker.fail(task, 'stopped');
  const instance = await app.detail(id);
  expect([instance.status, statusesOf(instance)]).toEqual(['canceled', { A: 'canceled', B: 'canceled' }]);
});

test('a worker that waits for more is told at once', async () => {
  const { id } = await app.start('t.PLAIN');
  const worker = app.worker('listener');
  const task = await worker.take();
  const waiting = app.tryTo('POST', '/api/worker/claim', { worker: 'listener', max: 1, wait_seconds: 30 });
  await new Promise((resolve) => setTimeout(resolve, 50));
  await cancel(id);
  expect((await waiting).body).toMatchObject({ tasks: [], canceled: [task.id] });
  await worker.fail(task);
  expect((await app.detail(id)).status).toBe('canceled');
});

test('a task that ends well all the same keeps its result, and nothing follows', async () => {
  const { id } = await app.start('t.PLAIN');
  const worker = app.worker();
  const task = await worker.take();
  await cancel(id);
  const { rejected, tasks } = await worker.complete(task, 'done', { max: 10 });
  expect([rejected, tasks]).toEqual([[], []]);
  const instance = await app.detail(id);
  expect([instance.status, statusesOf(instance)]).toEqual(['canceled', { A: 'success', B: 'canceled' }]);
  expect(taskOf(instance, 'A').result).toBe('done');
});

test('a task that does not stop is given up after the grace', async () => {
  const { id } = await app.start('t.PLAIN');
  const task = await app.worker('deaf').take();
  await cancel(id);
  const instance = await app.ended(id);
  expect([instance.status, statusesOf(instance)]).toEqual(['canceled', { A: 'canceled', B: 'canceled' }]);
  expect(taskOf(instance, 'A').error?.message).toMatch(/given up/);
  expect((await app.worker('deaf').complete(task)).rejected).toEqual([
    { id: task.id, reason: 'it is canceled already' },
  ]);
});

test('a canceled task that is handed back is not given to anybody else', async () => {
  const { id } = await app.start('t.PLAIN');
  const worker = app.worker();
  const task = await worker.take();
  await cancel(id);
  await worker.report({ released: [{ id: task.id, attempt: 1 }] });
  const instance = await app.detail(id);
  expect([instance.status, statusesOf(instance)]).toEqual(['canceled', { A: 'canceled', B: 'canceled' }]);
  expect(await worker.claim()).toEqual([]);
});

test('what has ended cannot be canceled, and what has not cannot be deleted', async () => {
  const { id } = await app.start('t.PLAIN');
  expect((await app.tryTo('DELETE', `/api/workflows/${id}`)).status).toBe(409);
  await app.run(id);
  expect((await cancel(id)).status).toBe(409);
  expect((await app.detail(id)).status).toBe('success');
  expect((await app.tryTo('DELETE', `/api/workflows/${id}`)).status).toBe(200);
  expect((await app.tryTo('GET', `/api/workflows/${id}`)).status).toBe(404);
  expect((await cancel(id)).status).toBe(404);
  expect((await cancel('nonsense')).status).toBe(404);
});

test('a task that sleeps is woken by nothing but the cancel', async () => {
  const { id } = await app.start('t.SLEEPS');
  await until(async () => statusesOf(await app.detail(id))['S'] === 'progress', 'it sleeps');
  const { body } = await cancel(id);
  // The service may just be looking at it; then it ends when it has looked.
  if (body.status !== 'canceled') await app.ended(id);
  expect(statusesOf(await app.detail(id))).toEqual({ S: 'canceled', B: 'canceled' });
});

test('cancels at any moment of a condition or a sleep end the instance', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 30; n++) {
    const { id } = await app.start(n % 2 === 0 ? 't.SLEEPS' : 't.WHEN');
    if (n % 3 > 0) await new Promise((resolve) => setTimeout(resolve, n % 7));
    await cancel(id);
    ids.push(id);
  }
  for (const id of ids) expect((await app.ended(id)).status).toBe('canceled');
});

test('an instance that takes too long fails with the reason, and what runs has the grace to stop', async () => {
  const { id } = await app.start('t.SHORT');
  const worker = app.worker('slow');
  const task = await worker.take();
  await until(async () => statusesOf(await app.detail(id))['B'] === 'canceled', 'its time is up');
  const { canceled, rejected } = await worker.report({ running: [{ id: task.id, attempt: 1 }] });
  expect(rejected.length + canceled.length).toBe(1);
  const instance = await app.ended(id);
  expect([instance.status, statusesOf(instance)]).toEqual(['error', { A: 'canceled', B: 'canceled' }]);
  expect(instance.error?.message).toMatch(/^It did not end within/);
});

test('the time of an instance is up also when something of it has failed before', async () => {
  const { id } = await app.start('t.SHORT_WAIT');
  await app.worker().fail(await app.worker().take());
  const instance = await app.ended(id);
  expect([instance.status, statusesOf(instance)]).toEqual(['error', { A: 'error', OK: 'canceled' }]);
});

test('an instance whose time is up takes those along that it started', async () => {
  const { id } = await app.start('t.SHORT_SUB');
  await app.ended(id);
  const children = await app.arrange('GET', '/api/workflows?project=t&name=PLAIN&per_page=1');
  await until(async () => (await app.detail(children[0].id)).finished !== null, 'the child has ended too');
  expect((await app.detail(children[0].id)).status).toBe('canceled');
});
