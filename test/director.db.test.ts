import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createInstancesStore } from '../src/workflows/instances.store.ts';
import { type RunningWorker, runWorker } from '../src/workflows/worker/run-worker.ts';
import { adminToken, startTestApp, type TestApp } from './harness/app.ts';
import { newTestDirectory, silentLog } from './harness/database.ts';
import { type Instance, type Task, until } from './harness/workflows.ts';

/** What Celery Director documents, from its files unchanged, run by the real worker; only the tasks are JavaScript instead of Python. */

const tasks = `
export const A = () => 'a';
export const B = ({ previous }) => previous + 'b';
export const C = ({ previous }) => previous + 'c';
export const ROLL = () => 4;
export const SUM = ({ previous }) => previous.reduce((sum, one) => sum + one, 0);
export const CACHE = ({ payload }) => payload;
export const BUY = ({ payload }) => payload.product;
export const MAIL = ({ payload, previous }) => 'to ' + payload.user + ' about ' + previous;
export const STARTED = () => 'started';
export const DONE = ({ results }) => results;
export const FAILED = () => 'failed';
`;

let app: TestApp;
let worker: RunningWorker;
let home: string;

beforeAll(async () => {
  home = await newTestDirectory();
  await cp(fileURLToPath(new URL('fixtures/director-home', import.meta.url)), home, { recursive: true });
  // The names are in tasks/remote.yml already, for a worker elsewhere: this one has its tasks in another folder.
  const workerHome = await newTestDirectory();
  await cp(home, workerHome, { recursive: true });
  await writeFile(join(workerHome, 'tasks', 'all.mjs'), tasks);
  app = await startTestApp({ config: { home } });
  worker = runWorker({
    url: await app.listen(),
    token: adminToken,
    home: workerHome,
    name: 'director',
    concurrency: 10,
    allowShell: false,
    outboundAllow: [],
    graceSeconds: 1,
    log: silentLog,
  });
});
afterAll(() => worker.stop());

const start = (name: string, payload: object = {}) =>
  app.request('POST', '/api/workflows', { token: adminToken, body: { project: 'docs', name, payload } });

async function run(name: string, payload: object = {}): Promise<Instance> {
  const { status, body, text } = await start(name, payload);
  expect(status, text).toBe(201);
  let found: Instance = body;
  await until(async () => {
    found = await app.arrange('GET', `/api/workflows/${body.id}`);
    return found.tasks.every(({ finished }) => finished !== null) && found.finished !== null;
  }, `${name} has ended`);
  return found;
}

const resultsOf = ({ tasks: all }: Instance) => all.map(({ key, result }: Task) => [key, result]);

test('every file loads without a complaint', async () => {
  expect(await app.arrange('GET', '/api/definitions/faults')).toEqual([]);
  const all: { fullname: string }[] = await app.arrange('GET', '/api/definitions');
  expect(all.length).toBeGreaterThanOrEqual(14);
});

test('a chain hands each result to the next', async () => {
  const instance = await run('CHAIN');
  expect([instance.status, resultsOf(instance)]).toEqual([
    'success',
    [
      ['A', 'a'],
      ['B', 'ab'],
      ['C', 'abc'],
    ],
  ]);
});

test('a group gets the result before it, in each of its members', async () => {
  expect(resultsOf(await run('GROUP'))).toEqual([
    ['A', 'a'],
    ['B', 'ab'],
    ['C', 'ac'],
  ]);
});

test('the same task twice, then a join', async () => {
  const instance = await run('TWICE');
  expect(resultsOf(instance)).toEqual([
    ['ROLL', 4],
    ['ROLL', 4],
    ['SUM', 8],
  ]);
  const [one, two, sum] = instance.tasks;
  expect(sum.previous).toEqual([one.id, two.id]);
});

test('schedules run with their payload', async () => {
  const all: { fullname: string; next_run?: string; periodic?: object }[] = await app.arrange(
    'GET',
    '/api/definitions',
  );
  const periodic = all.filter((one) => one.periodic);
  expect(periodic.map(({ fullname }) => fullname)).toEqual([
    'docs.EVERY_MINUTE',
    'docs.EVERY_THREE_HOURS',
    'docs.OLDER_CRONTAB',
    'docs.OLDER_MONDAYS',
    'docs.OLDER_SECONDS',
  ]);
  for (const { next_run: next } of periodic) expect(Date.parse(next ?? '')).toBeGreaterThan(Date.now());
  // As if the hour had come.
  const { pool } = app.database;
  await pool.query(`update workflow_schedules set next_run = clock_timestamp() where fullname = 'docs.OLDER_SECONDS'`);
  const list = () => app.arrange('GET', '/api/workflows?periodic=true&name=OLDER_SECONDS&status=success');
  await until(async () => (await list()).length === 1, 'it ran by itself');
  const [{ id }] = await list();
  const instance: Instance = await app.arrange('GET', `/api/workflows/${id}`);
  expect([instance.periodic, instance.payload, resultsOf(instance)]).toEqual([
    true,
    { user: false },
    [['CACHE', { user: false }]],
  ]);
});

test('queues: one for all, and one for some', async () => {
  const queuesOf = ({ tasks: all }: Instance) => all.map((task) => (task as Task & { queue: string }).queue);
  expect(queuesOf(await run('QUEUE'))).toEqual(['q1', 'q1']);
  const instance = await run('QUEUES');
  expect([instance.status, queuesOf(instance)]).toEqual(['success', ['q2', 'q1', 'q3']]);
});

test('a schema refuses what does not fit, also from a folder', async () => {
  expect(resultsOf(await run('SCHEMA', { user: 1, product: 2 }))).toEqual([
    ['BUY', 2],
    ['MAIL', 'to 1 about 2'],
  ]);
  expect((await start('SCHEMA', { user: 'x' })).status).toBe(400);
  expect((await start('DEEP_SCHEMA', {})).body.details).toHaveLength(2);
});

test('hooks run at the start and at the end, as rows of their own', async () => {
  const { status, tasks: all } = await run('HOOKS');
  expect(status).toBe('success');
  expect(
    all
      .toSorted((a, b) => a.key.localeCompare(b.key))
      .map(({ key, is_hook, previous, result }) => [key, is_hook, previous, result]),
  ).toEqual([
    ['A', false, [], 'a'],
    ['DONE', true, [], { A: 'a' }],
    ['STARTED', true, [], 'started'],
  ]);
});

test('retention keeps as many as its offset says', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 4; n++) ids.unshift((await run('RETENTION')).id);
  const store = createInstancesStore(app.database.pool);
  await store.expire({ project: 'docs', name: 'RETENTION', count: 2 });
  const left: Instance[] = await app.arrange('GET', '/api/workflows?name=RETENTION');
  expect(left.map(({ id }) => id)).toEqual(ids.slice(0, 2));
});
