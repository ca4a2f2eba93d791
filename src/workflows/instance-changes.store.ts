import { auditStatement } from '../db/audit.ts';
import type { Actor } from '../identity/access.ts';
import type { Queryable } from './create-instances.store.ts';
import type { EndedInstance } from './engine.store.ts';
import type { JsonObject } from './plan.ts';

/** What people change of instances, each inside a transaction of the caller's. */

/** Results of what a resumed instance had done, elements of a foreach that was done included. */
export async function takeOverResults(client: Queryable, from: string, to: string): Promise<void> {
  await client.query(
    `update workflow_tasks t set result = o.result, is_skipped = o.is_skipped, attempt = o.attempt, worker = o.worker,
       started_at = o.started_at, finished_at = o.finished_at
     from workflow_tasks o where o.instance_id = $1 and o.element is null and o.position = t.position
       and t.instance_id = $2 and t.state = 'success' and t.position >= 0`,
    [from, to],
  );
}

export async function cancelInstance(client: Queryable, id: string, actor: Actor): Promise<EndedInstance[]> {
  const { rows } = await client.query<{ id: string; parent_task_id: string | null; status: string }>(
    'select * from workflow_cancel($1, clock_timestamp())',
    [id],
  );
  const { text, values } = auditStatement(actor, { action: 'workflow.cancel', target: `workflow ${id}` });
  await client.query(text, values);
  return rows.map((row) => ({ id: row.id, parentTaskId: row.parent_task_id, status: row.status }));
}

export async function listUnfinished(client: Queryable, project: string, name: string): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `select id from workflow_instances where project = $1 and name = $2 and status in ('pending', 'progress') order by created_at, id`,
    [project, name],
  );
  return rows.map((row) => row.id);
}

/** Starts of one workflow, one after the other. */
export async function lockWorkflow(client: Queryable, fullname: string): Promise<void> {
  await client.query(`select pg_advisory_xact_lock(hashtextextended('workflow ' || $1, 0))`, [fullname]);
}

/** False: it does not wait for an approval. */
export async function approveTask(
  client: Queryable,
  instanceId: string,
  taskId: string,
  approved: JsonObject,
  actor: Actor,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `update workflow_tasks set memo = (memo::jsonb || $3::jsonb)::json, state = 'ready', due_at = null, updated_at = clock_timestamp()
     where id = $2 and instance_id = $1 and run = 'approval' and state = 'parked'`,
    [instanceId, taskId, JSON.stringify({ approved })],
  );
  const { text, values } = auditStatement(actor, { action: 'workflow.approve', target: `task ${taskId}` });
  if (rowCount === 1) await client.query(text, values);
  return rowCount === 1;
}

/** False: there is no such instance, or it (or a hook of it) still runs. */
export async function removeInstance(client: Queryable, id: string, actor: Actor): Promise<boolean> {
  const { rows } = await client.query<{ id: string }>(
    `select id from workflow_instances i where id = $1 and finished_at is not null
       and not exists (select from workflow_tasks t where t.instance_id = i.id and t.state not in ('success', 'error', 'canceled')) for update`,
    [id],
  );
  if (rows.length === 0) return false;
  await client.query('select workflow_delete(array[$1::uuid])', [id]);
  const { text, values } = auditStatement(actor, { action: 'workflow.delete', target: `workflow ${id}` });
  await client.query(text, values);
  return true;
}

/** Ends an instance of which nothing is left to do. */
export async function finishInstance(client: Queryable, id: string): Promise<EndedInstance[]> {
  const { rows } = await client.query<{ id: string; parent_task_id: string | null; status: string }>(
    `select * from workflow_finish(array[$1::uuid], '{}', clock_timestamp())`,
    [id],
  );
  return rows.map((row) => ({ id: row.id, parentTaskId: row.parent_task_id, status: row.status }));
}
