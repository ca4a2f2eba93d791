import { beforeAll, expect, test } from 'vitest';
import { startWorkflowApp, statusesOf, type WorkflowApp } from '../../test/harness/workflows.ts';

const workflows = `
t.PLAIN: { tasks: [ A, B ] }
t.CHECKED:
  schema: { type: object, required: [ id, total ], properties: { id: { type: string }, total: { type: number, minimum: 1 } } }
  tasks: [ A ]
t.SKIP: { overlap: skip, tasks: [ A ] }
t.QUEUE: { overlap: queue, queue: one, tasks: [ A ] }
t.REPLACE: { overlap: replace, queue: two, tasks: [ A, B ] }
`;

let app: WorkflowApp;
beforeAll(async () => {
  app = await startWorkflowApp({ workflows, limits: { graceSeconds: 2 } });
});

const post = (body: object, headers: Record<string, string> = {}) =>
  app.request('POST', '/api/workflows', { token: 'the-admin-token-of-the-tests', body, headers });
const key = (text: string) => ({ 'idempotency-key': text });

test('a start answers with the instance, which is there from then on', async () => {
  const { status, body } = await post({ project: 't', name: 'PLAIN', payload: { a: [1, null, 'ü'] }, comment: 'why' });
  expect(status).toBe(201);
  expect(body).toMatchObject({
    fullname: 't.PLAIN',
    status: 'pending',
    payload: { a: [1, null, 'ü'] },
    comment: 'why',
  });
  const { tasks, parent, ...listed } = await app.detail(body.id);
  expect(listed).toEqual(body);
  expect(parent).toBe(null);
  expect(tasks).toHaveLength(2);
  expect((await post({ project: 't', name: 'PLAIN' })).body.payload).toEqual({});
  expect((await post({ project: 't', name: 'NONE' })).status).toBe(404);
  expect((await post({ project: 't', name: 'PLAIN', payload: [] })).status).toBe(400);
});

test('a payload that does not fit is refused with every complaint', async () => {
  const { status, body } = await post({ project: 't', name: 'CHECKED', payload: { id: 5, total: 0 } });
  expect(status).toBe(400);
  expect(body.details.map(({ path }: { path: string }) => path).toSorted()).toEqual(['id', 'total']);
  const missing = await post({ project: 't', name: 'CHECKED', payload: {} });
  expect(missing.body.details).toHaveLength(2);
  expect((await post({ project: 't', name: 'CHECKED', payload: { id: 'x', total: 1 } })).status).toBe(201);
});

test('an idempotency key gives the same instance again', async () => {
  const first = await post({ project: 't', name: 'PLAIN', payload: { n: 1 } }, key('k 1'));
  const again = await post({ project: 't', name: 'PLAIN', payload: { n: 2 } }, key('k 1'));
  expect([again.status, again.body.id, again.body.payload]).toEqual([201, first.body.id, { n: 1 }]);
  expect([first.headers['idempotency-replayed'], again.headers['idempotency-replayed']]).toEqual([undefined, 'true']);
  expect((await post({ project: 't', name: 'PLAIN' }, key('k 2'))).body.id).not.toBe(first.body.id);
});

test('of many starts with one key at once there is one instance', async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      post({ project: 't', name: n % 2 ? 'PLAIN' : 'CHECKED', payload: { id: 'x', total: 1 } }, key('together')),
    ),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  expect(answers.filter(({ headers }) => headers['idempotency-replayed'] === undefined)).toHaveLength(1);
});

test('keys of one user mean nothing to another', async () => {
  const mine = await post({ project: 't', name: 'PLAIN' }, key('shared'));
  const user = await app.createUser();
  const { token } = await app.createToken(user.id, ['Read', 'Write']);
  const theirs = await app.request('POST', '/api/workflows', {
    token,
    body: { project: 't', name: 'PLAIN' },
    headers: key('shared'),
  });
  expect([theirs.status, theirs.body.id === mine.body.id]).toEqual([201, false]);
});

test('a key is known to another process too', async () => {
  const other = await startWorkflowApp({ workflows, database: app.database });
  const [here, there] = await Promise.all([
    app.start('t.PLAIN', {}, key('both')),
    other.start('t.PLAIN', {}, key('both')),
  ]);
  expect(here.id).toBe(there.id);
  await other.close();
});

test('many starts at once keep the order in which they came', async () => {
  const started = await Promise.all(Array.from({ length: 100 }, (_, n) => app.start('t.PLAIN', { n })));
  const listed = await app.arrange('GET', '/api/workflows?name=PLAIN&per_page=100');
  expect(listed.map(({ id }: { id: string }) => id)).toEqual(started.map(({ id }) => id).toReversed());
});

test('overlap skip: a start while one runs is a conflict, afterwards it is not', async () => {
  const { id } = await app.start('t.SKIP');
  expect((await post({ project: 't', name: 'SKIP' })).status).toBe(409);
  await app.tryTo('POST', `/api/workflows/${id}/cancel`);
  const several = await Promise.all(Array.from({ length: 5 }, () => post({ project: 't', name: 'SKIP' })));
  expect(several.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409, 409, 409]);
});

test('overlap queue: one after the other, in the order of their starts', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 4; n++) ids.push((await app.start('t.QUEUE')).id);
  const worker = app.worker();
  await app.tryTo('POST', `/api/workflows/${ids[1]}/cancel`);
  expect((await app.detail(ids[1])).status).toBe('canceled');
  for (const id of [ids[0], ids[2], ids[3]]) {
    const task = await worker.take({ queues: ['one'] });
    expect(task.instance.id).toBe(id);
    expect(await app.database.pool.query(runningOf, ['QUEUE']).then(({ rows }) => rows[0].n)).toBe(1);
    await worker.complete(task);
  }
});
const runningOf = `select count(distinct i.id)::integer as n from workflow_instances i join workflow_tasks t on t.instance_id = i.id
  where i.name = $1 and t.state in ('ready', 'progress')`;

test('overlap replace: the former is canceled, the new one runs', async () => {
  const first = await app.start('t.REPLACE');
  const worker = app.worker();
  const task = await worker.take({ queues: ['two'] });
  const second = await app.start('t.REPLACE');
  const stopped = await app.detail(first.id);
  expect(statusesOf(stopped)['B']).toBe('canceled');
  expect((await worker.report({ running: [{ id: task.id, attempt: 1 }] })).canceled).toEqual([task.id]);
  await worker.fail(task);
  expect((await app.detail(first.id)).status).toBe('canceled');
  expect((await app.detail(second.id)).finished).toBeNull();
});
