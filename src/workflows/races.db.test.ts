import { beforeAll, expect, test } from 'vitest';
import { startWorkflowApp, statusesOf, taskOf, type WorkflowApp } from '../../test/harness/workflows.ts';

/**
 * Two things at the same moment, one order after the other. The named points are where one of the two holds the instance's row and the
 * other already waits for it: on a server the database itself tells when that is so. The embedded database has one connection and does
 * one thing after the other by itself; there the orders are simply done.
 */

const workflows = `
t.CHAIN: { hooks: { success: G, failure: H }, tasks: [ A, B ] }
t.LAST: { hooks: { success: G, failure: H }, tasks: [ A ] }
t.RETRY: { tasks: [ { A: { retry: { attempts: 2, delay: 600 } } }, B ] }
`;

let app: WorkflowApp;
let other: WorkflowApp;
beforeAll(async () => {
  app = await startWorkflowApp({ workflows, limits: { maxLost: 10 } });
  other = await startWorkflowApp({ workflows, database: app.database, limits: { maxLost: 10 } });
});

type Point = 'instance held' | 'task held';

/** Holds a row, lets both come and wait, the first before the second, and lets go: so the first is first. */
async function inOrder<A, B>(
  point: Point,
  id: string,
  first: () => Promise<A>,
  second: () => Promise<B>,
): Promise<[A, B]> {
  const { pool, kind } = app.database;
  if (kind === 'embedded') return [await first(), await second()];
  const table = point === 'instance held' ? 'workflow_instances' : 'workflow_tasks';
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query(`select from ${table} where id = $1 for update`, [id]);
    const one = first();
    await untilWaiting(1);
    const two = second();
    await untilWaiting(2);
    await client.query('commit');
    return [await one, await two];
  } finally {
    client.release();
  }
}

async function untilWaiting(count: number): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    const { rows } = await app.database.pool.query(
      `select count(*)::integer as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (rows[0].n >= count) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`Never were there ${count} that wait.`);
}

const cancel = (id: string) => other.tryTo('POST', `/api/workflows/${id}/cancel`);
async function dismissHooks(): Promise<string[]> {
  const hooks = await app.worker().claim({ max: 10, tasks: ['G', 'H'] });
  for (const hook of hooks) await app.worker().complete(hook);
  return hooks.map(({ key }) => key);
}

test('completion before cancel: the instance has succeeded, the cancel is a conflict', async () => {
  const { id } = await app.start('t.LAST');
  const task = await app.worker().take({ tasks: ['A'] });
  const [said] = await inOrder(
    'instance held',
    id,
    () => app.worker().complete(task, 'done'),
    () => cancel(id),
  );
  expect(said.rejected).toEqual([]);
  const instance = await app.detail(id);
  expect([instance.status, taskOf(instance, 'A').result]).toEqual(['success', 'done']);
  expect(await dismissHooks()).toEqual(['G']);
  expect((await cancel(id)).status).toBe(409);
  expect((await app.detail(id)).finished).toBe(instance.finished);
});

test('cancel before completion: the result is kept, the instance is canceled, no hook runs', async () => {
  const { id } = await app.start('t.LAST');
  const task = await app.worker().take({ tasks: ['A'] });
  const [canceled, said] = await inOrder(
    'instance held',
    id,
    () => cancel(id),
    () => app.worker().complete(task, 'done'),
  );
  expect([canceled.status, said.rejected]).toEqual([201, []]);
  const instance = await app.detail(id);
  expect([instance.status, taskOf(instance, 'A').result]).toEqual(['canceled', 'done']);
  expect(await dismissHooks()).toEqual([]);
});

test('cancel before a completion in the middle: what would come next is not handed out', async () => {
  const { id } = await app.start('t.CHAIN');
  const task = await app.worker().take({ tasks: ['A'] });
  const [, said] = await inOrder(
    'instance held',
    id,
    () => cancel(id),
    () => app.worker().complete(task, 'done', { max: 5, tasks: ['B'] }),
  );
  expect(said.tasks).toEqual([]);
  expect(statusesOf(await app.detail(id))).toEqual({ A: 'success', B: 'canceled' });
});

test('completion before a cancel in the middle: what came next is asked to stop', async () => {
  const { id } = await app.start('t.CHAIN');
  const worker = app.worker();
  const task = await worker.take({ tasks: ['A'] });
  const [said] = await inOrder(
    'instance held',
    id,
    () => worker.complete(task, 'done', { max: 5, tasks: ['B'] }),
    () => cancel(id),
  );
  expect(said.tasks).toMatchObject([{ key: 'B' }]);
  expect(
    (await worker.report({ running: said.tasks.map(({ id, attempt }) => ({ id, attempt })) })).canceled,
  ).toHaveLength(1);
  await worker.fail(said.tasks[0]);
  expect((await app.detail(id)).status).toBe('canceled');
});

const sweep = () => app.database.pool.query('select * from workflow_sweep(10, 10)');
const expireLease = (id: string) =>
  app.database.pool.query(
    `update workflow_tasks set lease_until = clock_timestamp() - interval '1 second' where id = $1`,
    [id],
  );

test('a failure before the takeover: it is to be tried again, and not taken over', async () => {
  const { id } = await app.start('t.RETRY');
  const task = await app.worker('late').take({ tasks: ['A'] });
  // In the window between the end of the lease and the sweep the worker still counts.
  const { pool } = app.database;
  await pool.query(
    "begin; update workflow_tasks set lease_until = clock_timestamp() - interval '1 second' where id = '" +
      task.id +
      "'; commit",
  );
  const said = await app.worker('late').fail(task);
  await sweep();
  const { rows } = await pool.query('select state, attempt, failures, lost from workflow_tasks where id = $1', [
    task.id,
  ]);
  const isTaken = said.rejected.length === 0;
  expect(rows[0]).toMatchObject(isTaken ? { state: 'delayed', failures: 1, lost: 0 } : { failures: 0, lost: 1 });
  await cancel(id);
});

test('a takeover before the failure: the late report is rejected and the new attempt is not disturbed', async () => {
  const { id } = await app.start('t.RETRY');
  const task = await app.worker('late').take({ tasks: ['A'] });
  await expireLease(task.id);
  await sweep();
  const again = await other.worker('next').take({ tasks: ['A'] });
  const [failed, completed] = await inOrder(
    'instance held',
    id,
    () => app.worker('late').fail(task),
    () => other.worker('next').complete(again, 'second'),
  );
  expect([failed.rejected.length, completed.rejected]).toEqual([1, []]);
  const { rows } = await app.database.pool.query(
    'select state, attempt, failures, lost from workflow_tasks where id = $1',
    [task.id],
  );
  expect(rows).toEqual([{ state: 'success', attempt: 2, failures: 0, lost: 1 }]);
  await cancel(id);
});

test('two sweepers and a late renewal: one takeover', async () => {
  const { id } = await app.start('t.RETRY');
  const task = await app.worker('late').take({ tasks: ['A'] });
  await expireLease(task.id);
  await Promise.all([sweep(), sweep(), app.worker('late').report({ running: [{ id: task.id, attempt: 1 }] }), sweep()]);
  const { rows } = await app.database.pool.query('select state, attempt, lost from workflow_tasks where id = $1', [
    task.id,
  ]);
  // Renewed or taken over, but not both, and not twice.
  expect([
    { state: 'progress', attempt: 1, lost: 0 },
    { state: 'ready', attempt: 1, lost: 1 },
  ]).toContainEqual(rows[0]);
  await cancel(id);
  if (rows[0].state === 'progress') await app.worker('late').fail(task);
  expect((await app.ended(id)).status).toBe('canceled');
});

test('two completions of one attempt: one is recorded', async () => {
  const { id } = await app.start('t.LAST');
  const task = await app.worker().take({ tasks: ['A'] });
  const [one, two] = await inOrder(
    'instance held',
    id,
    () => app.worker().complete(task, 'one'),
    () => other.worker().complete(task, 'two'),
  );
  expect([one.rejected.length, two.rejected.length]).toEqual([0, 1]);
  expect(taskOf(await app.detail(id), 'A').result).toBe('one');
  expect(await dismissHooks()).toEqual(['G']);
});

test('two workers that finish the two last tasks of an instance at once: it ends once', async () => {
  for (let n = 0; n < 10; n++) {
    const { id } = await app.start('t.CHAIN');
    const a = await app.worker().take({ tasks: ['A'] });
    await app.worker().complete(a);
    const b = await app.worker().take({ tasks: ['B'] });
    await Promise.all([app.worker().complete(b), other.worker().complete(b), cancel(id)]);
    const instance = await app.detail(id);
    expect(['success', 'canceled']).toContain(instance.status);
    expect(await dismissHooks()).toEqual(instance.status === 'success' ? ['G'] : []);
  }
});

test('a hook that fails, or whose worker dies, changes nothing of its instance', async () => {
  const { id } = await app.start('t.LAST');
  await app.worker().complete(await app.worker().take({ tasks: ['A'] }));
  const ended = await app.detail(id);
  const hook = await app.worker().take({ tasks: ['G'] });
  await expireLease(hook.id);
  await sweep();
  const again = await app.worker().take({ tasks: ['G'] });
  expect([again.id, again.attempt, again.hook?.status]).toEqual([hook.id, 2, 'success']);
  await app.worker().fail(again);
  const after = await app.detail(id);
  expect([after.status, after.finished]).toEqual(['success', ended.finished]);
  expect(statusesOf(after)).toEqual({ A: 'success', 'hook:G': 'error' });
});

test('whoever looks while it ends sees all of the end or nothing of it', async () => {
  const torn: unknown[] = [];
  for (let round = 0; round < 30; round++) {
    const { id } = await app.start('t.LAST');
    const task = await app.worker().take({ tasks: ['A'] });
    const look = async (): Promise<void> => {
      for (;;) {
        const instance = await other.detail(id);
        const isOver = instance.finished !== null;
        if (isOver !== (taskOf(instance, 'A').finished !== null)) torn.push(instance);
        if (isOver) return;
      }
    };
    await Promise.all([look(), look(), look(), app.worker().complete(task)]);
    await dismissHooks();
  }
  expect(torn).toEqual([]);
});
