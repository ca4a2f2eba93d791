import type pg from 'pg';
import { inTransaction } from '../db/transaction.ts';
import {
  type Created,
  createInstances,
  findByKeys,
  type Queryable,
  type StartEntry,
} from './create-instances.store.ts';
import type { Plan } from './plan.ts';
import type { ReportRequest } from './worker.schemas.ts';

/** The engine's statements. The hard ones are functions of the database: migrations/0003_workflows.sql. */

export type HandedTask = {
  id: string;
  instance_id: string;
  position: number;
  element: number | null;
  attempt: number;
};
export type EndedInstance = { id: string; parentTaskId: string | null; status: string };
export type WorkerOffer = { worker: string; max: number; queues: string[]; tasks: string[] | undefined };
export type SweepRow = {
  what: string;
  id: string | null;
  parent_task_id: string | null;
  status: string;
  count: string;
};

export type EngineStore = ReturnType<typeof createEngineStore>;

export function createEngineStore(pool: pg.Pool, settings: { leaseSeconds: number }) {
  const { leaseSeconds } = settings;

  async function saveVersion(plan: Plan): Promise<void> {
    await pool.query('insert into workflow_versions (id, plan) values ($1, $2) on conflict (id) do nothing', [
      plan.version,
      JSON.stringify(plan),
    ]);
  }

  async function loadPlans(versions: string[]): Promise<Plan[]> {
    const { rows } = await pool.query<{ plan: Plan }>('select plan from workflow_versions where id = any ($1)', [
      versions,
    ]);
    return rows.map(({ plan }) => plan);
  }

  async function saveQueues(names: string[]): Promise<void> {
    await pool.query(
      `insert into workflow_queues (name) select * from unnest($1::text[]) on conflict (name) do nothing`,
      [names],
    );
  }

  async function listQueues(): Promise<string[]> {
    const { rows } = await pool.query<{ name: string }>('select name from workflow_queues order by name');
    return rows.map(({ name }) => name);
  }

  /** Replaces all limits by those given. */
  async function limitQueues(limits: { name: string; concurrency?: number; ratePerSecond?: number }[]): Promise<void> {
    await pool.query(
      `with given as (select * from json_to_recordset($1::json) g (name text, concurrency integer, "ratePerSecond" double precision)),
       freed as (update workflow_queues q set concurrency = null, rate_per_second = null
         where (q.concurrency is not null or q.rate_per_second is not null) and not exists (select from given g where g.name = q.name))
       insert into workflow_queues as q (name, concurrency, rate_per_second, tokens)
       select g.name, g.concurrency, g."ratePerSecond", coalesce(greatest(1, g."ratePerSecond"), 0) from given g
       on conflict (name) do update set concurrency = excluded.concurrency, rate_per_second = excluded.rate_per_second`,
      [JSON.stringify(limits)],
    );
  }

  async function claim(offer: WorkerOffer): Promise<HandedTask[]> {
    const { rows } = await pool.query<HandedTask>({
      name: 'workflow-claim',
      text: 'select * from workflow_claim($1, $2, $3, $4, $5)',
      values: [offer.worker, leaseSeconds, offer.max, offer.queues, offer.tasks ?? null],
    });
    return rows;
  }

  async function report(
    offer: WorkerOffer,
    said: Pick<ReportRequest, 'completed' | 'failed' | 'released' | 'running'>,
  ): Promise<{
    next: HandedTask[];
    rejected: { id: string; reason: string }[];
    canceled: string[];
    ended: EndedInstance[];
    /** Queues in which others may find work now. */
    readyQueues: string[];
  }> {
    const { completed, failed, released, running } = said;
    const { rows } = await pool.query<
      HandedTask & { what: string; detail: string; parent_task_id: string | null; queue: string | null }
    >({
      name: 'workflow-report',
      text: 'select * from workflow_report($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)',
      values: [
        offer.worker,
        leaseSeconds,
        offer.max,
        offer.queues,
        offer.tasks ?? null,
        completed.map(({ id }) => id),
        completed.map(({ attempt }) => attempt),
        completed.map(({ result }) => JSON.stringify(result)),
        failed.map(({ id }) => id),
        failed.map(({ attempt }) => attempt),
        failed.map(({ error }) => JSON.stringify(error)),
        failed.map(({ retryable }) => retryable),
        released.map(({ id }) => id),
        released.map(({ attempt }) => attempt),
        running.map(({ id }) => id),
        running.map(({ attempt }) => attempt),
        // As precise as the column: what is too small for it would be an error.
        running.map(({ progress }) => (progress === undefined ? null : Math.fround(progress))),
      ],
    });
    const answer = {
      next: [] as HandedTask[],
      rejected: [] as { id: string; reason: string }[],
      canceled: [] as string[],
      ended: [] as EndedInstance[],
      readyQueues: [] as string[],
    };
    for (const row of rows) {
      if (row.what === 'next') answer.next.push(row);
      else if (row.what === 'rejected') answer.rejected.push({ id: row.id, reason: row.detail });
      else if (row.what === 'canceled') answer.canceled.push(row.id);
      else if (row.what === 'ended')
        answer.ended.push({ id: row.id, parentTaskId: row.parent_task_id, status: row.detail });
      // A hook of an instance that ended, too.
      if (row.queue !== null) answer.readyQueues.push(row.queue);
    }
    return answer;
  }

  async function loadInstances(ids: string[]): Promise<{ id: string; version: string; payload: string }[]> {
    const { rows } = await pool.query<{ id: string; version: string; payload: string }>({
      name: 'workflow-instances',
      text: 'select id, version, payload::text as payload from workflow_instances where id = any ($1::uuid[])',
      values: [ids],
    });
    return rows;
  }

  /** What is there of results, elements of a foreach apart: the foreach has them in its own. */
  async function loadResults(ids: string[]): Promise<{ instance_id: string; position: number; result: string }[]> {
    const { rows } = await pool.query<{ instance_id: string; position: number; result: string }>({
      name: 'workflow-results',
      text: `select instance_id, position, coalesce(result::text, 'null') as result from workflow_tasks
             where instance_id = any ($1::uuid[]) and state = 'success' and element is null and position >= 0`,
      values: [ids],
    });
    return rows;
  }

  /** The first task that failed, and how the instance stands: what a hook is told. */
  async function loadOutcome(
    instanceId: string,
  ): Promise<{ status: string; failed: { id: string; key: string; error: { message: string } } | null }> {
    const { rows } = await pool.query<{
      status: string;
      id: string | null;
      key: string;
      error: { message: string } | null;
    }>(
      `select i.status, f.id, f.key, f.error from workflow_instances i
       left join lateral (select t.id, t.key, t.error from workflow_tasks t
         where t.instance_id = i.id and t.state = 'error' and not t.is_hook order by t.finished_at, t.position, t.element limit 1) f on true
       where i.id = $1`,
      [instanceId],
    );
    const row = rows[0];
    return {
      status: row.status,
      failed: row.id === null ? null : { id: row.id, key: row.key, error: row.error ?? { message: 'It failed.' } },
    };
  }

  async function sweep(limits: { graceSeconds: number; maxLost: number }): Promise<SweepRow[]> {
    return (await pool.query<SweepRow>('select * from workflow_sweep($1, $2)', [limits.graceSeconds, limits.maxLost]))
      .rows;
  }

  async function endStuck(unclaimedSeconds: number): Promise<SweepRow[]> {
    return (await pool.query<SweepRow>('select * from workflow_end_stuck($1)', [unclaimedSeconds])).rows;
  }

  async function foldCounts(): Promise<void> {
    await pool.query('select workflow_fold_counts()');
  }

  /** When the next retry or alarm is due, in milliseconds from now. */
  async function nextDueInMs(): Promise<number | undefined> {
    const { rows } = await pool.query<{ ms: string | null }>(
      `select extract(epoch from min(due_at) - clock_timestamp()) * 1000 as ms from workflow_tasks where due_at is not null`,
    );
    return rows[0].ms === null ? undefined : Math.max(0, Number(rows[0].ms));
  }

  return {
    leaseSeconds,
    transaction: <T>(work: (client: Queryable) => Promise<T>): Promise<T> => inTransaction(pool, work),
    saveVersion,
    loadPlans,
    saveQueues,
    listQueues,
    limitQueues,
    create: (entries: StartEntry[], on: Queryable = pool): Promise<Created[]> => createInstances(on, entries),
    findByKeys: (keys: string[], on: Queryable = pool): Promise<Map<string, Created>> => findByKeys(on, keys),
    claim,
    report,
    loadInstances,
    loadResults,
    loadOutcome,
    sweep,
    endStuck,
    foldCounts,
    nextDueInMs,
  };
}
