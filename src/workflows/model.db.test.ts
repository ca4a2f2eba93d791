import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase, silentLog } from '../../test/harness/database.ts';
import { newHome } from '../../test/harness/workflows.ts';
import type { Database } from '../db/open.ts';
import { systemActor } from '../identity/access.ts';
import { createDefinitions, type Definitions } from './definitions/definitions.service.ts';
import { definitionOf, randomTree } from './testing/random-plans.ts';
import { type Attempt, interpret, leavesOf, type Outcome, resultOf, type Tree } from './testing/reference.ts';
import { createOutboundGuard } from './worker/outbound.ts';
import type { ReportRequest, WorkerTask } from './worker.schemas.ts';
import { createWorkflows, type Workflows } from './workflows.service.ts';

/** Random plans, random failures, random deaths of workers, reports in a random order: the end is as the reference says. */

const runs = Number(process.env['FAULTLINE_MODEL_RUNS'] ?? 30);
const maxLost = 3;
const workers = ['w1', 'w2', 'w3'];

let database: Database;
let definitions: Definitions;
let engine: Workflows;

beforeAll(async () => {
  database = await openTestDatabase();
  definitions = await createDefinitions({ home: await newHome({ 'workflows.yml': '' }, ['WORK']), log: silentLog });
  engine = await createWorkflows({
    pool: database.pool,
    listener: undefined,
    // One engine for all plans: what it asks for is the plan of the moment.
    definitions: {
      ...definitions,
      find: (name) => definitions.find(name),
      list: () => [],
      queues: () => new Map(),
      validatePayload: () => [],
    },
    serviceTasks: {
      home: '',
      guard: createOutboundGuard([]),
      findTeam: async () => undefined,
      ingest: () => Promise.reject(new Error('nothing is ingested here')),
      writeNews: async () => undefined,
      notifyChannel: async () => ({ refused: 'there are no channels here' }),
    },
    processName: 'model',
    clock: Date.now,
    log: silentLog,
    limits: { leaseSeconds: 600, maxLost },
  });
});
afterAll(() => engine.close());

type Row = { key: string; state: string; is_skipped: boolean; attempt: number; result: string | null };
type Held = WorkerTask & { worker: string; does: Attempt };

test('random plans end as the reference says', { timeout: 30_000 + runs * 10_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(randomTree, fc.infiniteStream(fc.nat({ max: 1_000_000 })), async (tree, chance) => {
      const home = await newHome({ 'workflows.yml': definitionOf(tree).yaml }, ['WORK']);
      definitions = await createDefinitions({ home, log: silentLog });
      definitions.close();
      expect(definitions.faults()).toEqual([]);
      const { payload } = definitionOf(tree);
      const { id } = await engine.instances.start({
        fullname: 't.RANDOM',
        payload,
        actor: systemActor,
      });
      const pick = (below: number): number => Number(chance.next().value) % below;
      const rows = await play(id, tree, interpret(tree, maxLost), pick);
      compare(rows, interpret(tree, maxLost), await statusOf(id));
    }),
    { numRuns: runs, endOnFailure: runs < 20 },
  );
});

async function play(id: string, tree: Tree, expected: Outcome, pick: (below: number) => number): Promise<Row[]> {
  const scripts = scriptsOf(tree);
  const held: Held[] = [];
  const ghosts: Held[] = [];
  const finals = new Map<string, string>();
  const rejections: { id: string; reason: string }[] = [];
  let rows: Row[] = [];
  for (let quiet = 0; quiet < 2000; ) {
    const worker = workers[pick(workers.length)];
    const takes = (tasks: WorkerTask[]): void => {
      for (const task of tasks) {
        checkContext(task, expected, rows);
        held.push({ ...task, worker, does: scripts.get(task.key)?.[task.attempt - 1] ?? 'ok' });
      }
    };
    const before = held.length;
    if (pick(3) === 0 || held.length === 0) {
      takes(
        (await engine.dispatch.claim({ worker, max: 1 + pick(3), wait_seconds: 0 }, AbortSignal.timeout(60_000))).tasks,
      );
    } else {
      const mine = held.filter((task) => task.worker === worker && pick(3) > 0);
      for (const task of mine) held.splice(held.indexOf(task), 1);
      const { rejected, tasks } = await engine.dispatch.report(reportOf(worker, mine, pick(3)));
      rejections.push(...rejected);
      rows = await readRows(id);
      takes(tasks);
      const dead = mine.filter(({ does }) => does === 'die');
      ghosts.push(...dead);
      await database.pool.query(
        `update workflow_tasks set lease_until = clock_timestamp() - interval '1 second' where id = any ($1)`,
        [dead.map((task) => task.id)],
      );
    }
    if (pick(4) === 0 && ghosts.length > 0) await haunt(ghosts.splice(pick(ghosts.length), 1)[0]);
    await database.pool.query('select * from workflow_sweep($1, $2)', [600, maxLost]);
    rows = await readRows(id);
    for (const { key, state, result } of rows) {
      const known = finals.get(key);
      const now = `${key} ${state} ${result}`;
      expect(now, 'a final status never changes').toBe(known ?? now);
      if (['success', 'error', 'canceled'].includes(state)) finals.set(key, `${key} ${state} ${result}`);
    }
    if (held.length === 0 && (await statusOf(id)).isFinished) break;
    quiet = held.length === 0 && before === 0 ? quiet + 1 : 0;
    if (quiet > 0) await new Promise((resolve) => setTimeout(resolve, 3));
    if (quiet > 1900) throw new Error(`It does not go on: ${JSON.stringify(rows)}`);
  }
  for (const ghost of ghosts) await haunt(ghost);
  expect(rejections, 'whoever holds a task may report it').toEqual([]);
  return readRows(id);
}

/** A worker that was given up comes back with its result: too late, unless the sweeper has not come yet. */
async function haunt(ghost: Held): Promise<void> {
  const { rows } = await database.pool.query(
    'select 1 from workflow_tasks where id = $1 and attempt = $2 and lease_until is not null',
    [ghost.id, ghost.attempt],
  );
  if (rows.length > 0) return;
  const { rejected } = await engine.dispatch.report(
    reportOf(ghost.worker, [{ ...ghost, does: 'ok', key: 'a ghost' }], 0),
  );
  expect(rejected).toHaveLength(1);
}

/** Whoever begins finds all those before it done, and is told their recorded results. */
function checkContext(task: WorkerTask, { previous }: Outcome, rows: Row[]): void {
  const own = task.key.replace(/\[\d+\]$/, '');
  const ancestors = new Set<string>();
  const open = [...(previous.get(own) ?? [])];
  for (let key = open.pop(); key !== undefined; key = open.pop()) {
    if (!ancestors.has(key)) open.push(...(previous.get(key) ?? []));
    ancestors.add(key);
  }
  expect(new Set(Object.keys(task.results))).toEqual(ancestors);
  for (const key of ancestors) {
    const row = rows.find((one) => one.key === key);
    // What the service did itself since the rows were read is not in them yet.
    if (row?.state === 'success')
      expect(task.results[key], `${task.key} sees ${key}`).toEqual(JSON.parse(row.result ?? 'null'));
  }
}

function reportOf(worker: string, tasks: Held[], max: number): ReportRequest {
  const of = (does: Attempt) => tasks.filter((task) => task.does === does);
  const refer = ({ id, attempt }: Held) => ({ id, attempt });
  const error = { message: 'as it should' };
  return {
    worker,
    max,
    logs: [],
    running: [],
    completed: of('ok').map((task) => ({ ...refer(task), result: resultOf(task.key, task.attempt) })),
    failed: [...of('fail'), ...of('fatal')].map((task) => ({ ...refer(task), error, retryable: task.does === 'fail' })),
    released: of('release').map(refer),
  };
}

function scriptsOf(tree: Tree): Map<string, Attempt[]> {
  const scripts = new Map<string, Attempt[]>();
  for (const { key, script, elements } of leavesOf(tree)) {
    scripts.set(key, script);
    elements?.forEach((own, n) => scripts.set(`${key}[${n}]`, own));
  }
  return scripts;
}

function compare(rows: Row[], expected: Outcome, instance: { status: string }): void {
  const seen = new Map(rows.map((row) => [row.key, row]));
  for (const [key, verdicts] of expected.tasks) {
    const row = seen.get(key);
    // Elements of a foreach that was never reached have no rows.
    if (!row && verdicts.some(({ status }) => status === 'canceled')) continue;
    const found = {
      status: row?.is_skipped ? 'skipped' : row?.state,
      attempt: row?.attempt,
      result: JSON.parse(row?.result ?? 'null'),
    };
    const isAsSaid = verdicts.some(({ status, attempt, result = null }) =>
      status === 'canceled'
        ? found.status === 'canceled'
        : found.status === status &&
          (attempt === undefined || found.attempt === attempt) &&
          JSON.stringify(found.result) === JSON.stringify(result),
    );
    expect({ key, ...found }).toEqual(isAsSaid ? { key, ...found } : { key, ...verdicts[0] });
  }
  for (const key of seen.keys()) expect(expected.tasks.has(key), `${key} is expected`).toBe(true);
  expect(instance.status).toBe(expected.status);
}

async function readRows(id: string): Promise<Row[]> {
  const { rows } = await database.pool.query<Row>(
    'select key, state, is_skipped, attempt, result::text as result from workflow_tasks where instance_id = $1 order by position, element',
    [id],
  );
  return rows;
}

async function statusOf(id: string): Promise<{ status: string; isFinished: boolean }> {
  const { rows } = await database.pool.query(
    'select status, finished_at is not null as "isFinished" from workflow_instances where id = $1',
    [id],
  );
  return rows[0];
}
