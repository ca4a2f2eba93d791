import type pg from 'pg';
import type { Actor } from '../identity/access.ts';
import { hookRow, type NewInstance } from './new-instance.ts';
import type { Plan } from './plan.ts';
import type { ReportRequest } from './worker.schemas.ts';

/** The engine's statements. The hard ones are functions of the database: migrations/0003_workflows.sql. */

/** A pool, or the client that holds a transaction. */
export type Queryable = Pick<pg.ClientBase, 'query'>;

export type HandedTask = {
  id: string;
  instance_id: string;
  position: number;
  element: number | null;
  attempt: number;
};
export type EndedInstance = { id: string; parentTaskId: string | null; status: string };
export type Created = { id: string; created: string; isNew: boolean };
export type StartEntry = { instance: NewInstance; actor: Actor };
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

  /** Runs `work` in a transaction on one client. */
  async function transaction<T>(work: (client: Queryable) => Promise<T>): Promise<T> {
    const client = await pool.connect();
    let failure: Error | undefined;
    try {
      await client.query('begin');
      const result = await work(client);
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback').catch((broken: Error) => {
        failure = broken;
      });
      throw error;
    } finally {
      client.release(failure);
    }
  }

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

  /** All or none. Where the idempotency key is known already, the instance that has it is answered, and nothing is written. */
  async function create(entries: StartEntry[], on: Queryable = pool): Promise<Created[]> {
    const { rows } = await on.query<{ id: string; created: string }>({
      name: 'workflow-create',
      text: createStatement,
      values: [
        JSON.stringify(entries.map(instanceRow)),
        entries.map(({ instance }) => JSON.stringify(instance.payload)),
        JSON.stringify(entries.flatMap(({ instance }) => instance.tasks)),
      ],
    });
    const made = new Map(rows.map((row) => [row.id, row.created]));
    const missing = entries.filter(({ instance }) => !made.has(instance.id));
    const former = missing.length > 0 ? await findByKeys(missing.map(keyOf), on) : new Map<string, Created>();
    return entries.map((entry) => {
      const created = made.get(entry.instance.id);
      if (created !== undefined) return { id: entry.instance.id, created, isNew: true };
      const known = former.get(keyOf(entry));
      if (!known) throw new Error('An instance was neither written nor known.');
      return known;
    });
  }

  async function findByKeys(keys: string[], on: Queryable = pool): Promise<Map<string, Created>> {
    const { rows } = await on.query<{ key: string; id: string; created: string }>(
      `select idempotency_key as key, id, ${wireTime('created_at')} as created from workflow_instances where idempotency_key = any ($1)`,
      [keys],
    );
    return new Map(rows.map(({ key, id, created }) => [key, { id, created, isNew: false }]));
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
        running.map(({ progress }) => progress ?? null),
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
    transaction,
    saveVersion,
    loadPlans,
    saveQueues,
    listQueues,
    limitQueues,
    create,
    findByKeys,
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

/** 2026-11-15T02:08:00.123456+00:00: the interface's form of a workflow's times, which a JavaScript date is too coarse for. */
export const wireTime = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"')`;

const keyOf = ({ instance }: StartEntry): string => instance.idempotencyKey ?? '';

function hooksOf({ hooks: { success, failure } }: Plan) {
  if (!success && !failure) return null;
  return { success: success && hookRow(success), failure: failure && hookRow(failure) };
}

const instanceRow = ({ instance, actor }: StartEntry) => ({
  id: instance.id,
  project: instance.plan.project,
  name: instance.plan.name,
  version: instance.plan.version,
  is_periodic: instance.isPeriodic,
  comment: instance.comment,
  relaunched_from: instance.relaunchedFrom,
  resumes: instance.resumes,
  parent_task_id: instance.parentTaskId,
  idempotency_key: instance.idempotencyKey,
  open_sinks: instance.openSinks,
  is_held: instance.isHeld,
  hooks: hooksOf(instance.plan),
  priority: instance.plan.priority,
  timeout_seconds: instance.plan.timeoutSeconds ?? null,
  actor_id: actor.userId,
  actor_name: actor.userName,
  address: actor.address,
  request_id: actor.requestId,
});

const createStatement = `
with moment as materialized (select clock_timestamp() as now),
given as materialized (
  select * from rows from (
    json_to_recordset($1::json) as (id uuid, project text, name text, version text, is_periodic boolean, comment text, relaunched_from uuid,
      resumes uuid, parent_task_id uuid, idempotency_key text, open_sinks integer, is_held boolean, hooks jsonb, priority smallint,
      timeout_seconds double precision, actor_id uuid, actor_name text, address text, request_id text),
    unnest($2::json[])
  ) as g (id, project, name, version, is_periodic, comment, relaunched_from, resumes, parent_task_id, idempotency_key, open_sinks, is_held, hooks,
    priority, timeout_seconds, actor_id, actor_name, address, request_id, payload)
),
made as (
  insert into workflow_instances (id, project, name, version, payload, is_periodic, comment, relaunched_from, resumes, parent_task_id, idempotency_key,
    open_sinks, is_held, hooks, priority, deadline, created_at, updated_at)
  select g.id, g.project, g.name, g.version, g.payload, g.is_periodic, g.comment, g.relaunched_from, g.resumes, g.parent_task_id, g.idempotency_key,
    g.open_sinks, g.is_held, g.hooks, g.priority, m.now + make_interval(secs => g.timeout_seconds), m.now, m.now
  from given g, moment m
  on conflict (idempotency_key) do nothing
  returning id, priority, created_at
),
tasks as (
  insert into workflow_tasks (id, instance_id, position, key, run, queue, priority, state, waiting, previous, children, is_hook, retry, timeout_seconds,
    created_at, updated_at)
  select t.id, t.instance_id, t.position, t.key, t.run, t.queue, m.priority, t.state, t.waiting, t.previous, t.children, t.is_hook, t.retry, t.timeout_seconds,
    m.created_at, m.created_at
  from json_to_recordset($3::json) as t (id uuid, instance_id uuid, position integer, key text, run text, queue text, state text, waiting integer,
    previous uuid[], children uuid[], is_hook boolean, retry jsonb, timeout_seconds double precision)
  join made m on m.id = t.instance_id
),
noted as (
  insert into workflow_events (changes)
  select jsonb_agg(jsonb_build_array('i', g.id, g.project, g.name, 'pending')) from made m join given g on g.id = m.id having count(*) > 0
),
audited as (
  insert into audit_log (actor_id, actor_name, action, target, details, address, request_id)
  select g.actor_id, g.actor_name, 'workflow.start', 'workflow ' || g.id, jsonb_build_object('fullname', g.project || '.' || g.name), g.address, g.request_id
  from made m join given g on g.id = m.id
)
select id, ${wireTime('created_at')} as created from made`;
