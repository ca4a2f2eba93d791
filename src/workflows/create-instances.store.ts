import type pg from 'pg';
import type { Actor } from '../identity/access.ts';
import { hookRow, type NewInstance } from './new-instance.ts';
import type { Plan } from './plan.ts';
import { wireTime } from './wire-time.ts';

/** A pool, or the client that holds a transaction. */
export type Queryable = Pick<pg.ClientBase, 'query'>;
export type StartEntry = { instance: NewInstance; actor: Actor };
export type Created = { id: string; created: string; isNew: boolean };

/** All or none. Where the idempotency key is known already, the instance that has it is answered, and nothing is written. */
export async function createInstances(on: Queryable, entries: StartEntry[]): Promise<Created[]> {
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
  const former = missing.length > 0 ? await findByKeys(on, missing.map(keyOf)) : new Map<string, Created>();
  return entries.map((entry) => {
    const created = made.get(entry.instance.id);
    if (created !== undefined) return { id: entry.instance.id, created, isNew: true };
    const known = former.get(keyOf(entry));
    if (!known) throw new Error('An instance was neither written nor known.');
    return known;
  });
}

export async function findByKeys(on: Queryable, keys: string[]): Promise<Map<string, Created>> {
  const { rows } = await on.query<{ key: string; id: string; created: string }>(
    `select idempotency_key as key, id, ${wireTime('created_at')} as created from workflow_instances where idempotency_key = any ($1)`,
    [keys],
  );
  return new Map(rows.map(({ key, id, created }) => [key, { id, created, isNew: false }]));
}

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
