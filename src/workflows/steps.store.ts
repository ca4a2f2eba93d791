import type pg from 'pg';
import type { Queryable } from './create-instances.store.ts';
import type { HandedTask } from './engine.store.ts';
import type { Json, RetryPolicy } from './plan.ts';

/** A task that the service itself holds under a lease. */
export type HeldTask = Pick<HandedTask, 'id' | 'attempt'> & { worker: string };
export type ElementTask = { id: string; element: number; state: 'ready' | 'held' | 'success' };

export type StepsStore = ReturnType<typeof createStepsStore>;

/** What the service does with the tasks that no worker is given: each change only while it still holds the task. */
export function createStepsStore(pool: pg.Pool) {
  /** What was remembered of tasks, and whether somebody asked them to stop. */
  async function loadMemos(ids: string[]): Promise<Map<string, { memo: Json; timeoutSeconds: number | null }>> {
    const { rows } = await pool.query<{ id: string; memo: Json; timeout_seconds: number | null }>(
      'select id, memo, timeout_seconds from workflow_tasks where id = any ($1)',
      [ids],
    );
    return new Map(rows.map(({ id, memo, timeout_seconds }) => [id, { memo, timeoutSeconds: timeout_seconds }]));
  }

  async function noteSkipped(task: HeldTask): Promise<void> {
    await pool.query(`update workflow_tasks set is_skipped = true where ${isHeld}`, holder(task));
  }

  /** A worker's turn after all: the condition holds. The look that was taken does not count as an attempt. */
  async function passOn(task: HeldTask, queue: string): Promise<boolean> {
    const { rowCount } = await pool.query(
      `update workflow_tasks set queue = $4, state = 'ready', attempt = 0, worker = null, lease_until = null, started_at = null, updated_at = clock_timestamp()
       where ${isHeld} and not is_cancel_asked`,
      [...holder(task), queue],
    );
    return rowCount === 1;
  }

  /**
   * Waits for something that is no worker; it is looked at again when that happens, or after `dueInSeconds`. False: it is not to wait,
   * because somebody canceled it or it was handed on.
   */
  async function park(
    task: HeldTask,
    how: { memo: Json; dueInSeconds?: number | undefined; waiting?: number },
    on: Queryable = pool,
  ): Promise<boolean> {
    const { rowCount } = await on.query(
      `with parked as (
         update workflow_tasks set state = 'parked', lease_until = null, memo = $4, waiting = $6, updated_at = clock_timestamp(),
           due_at = clock_timestamp() + make_interval(secs => $5)
         where ${isHeld} and not is_cancel_asked returning id, instance_id, key, failures
       ), noted as (
         insert into workflow_events (changes)
         select jsonb_build_array(jsonb_build_array('t', instance_id, id, key, 'progress', failures + 1)) from parked
       )
       select from parked`,
      [...holder(task), JSON.stringify(how.memo), how.dueInSeconds ?? null, how.waiting ?? 1],
    );
    return rowCount === 1;
  }

  async function listElements(container: string): Promise<{ key: string; state: string; result: Json }[]> {
    const { rows } = await pool.query<{ key: string; state: string; result: Json }>(
      `select key, state, result from workflow_tasks
       where instance_id = (select instance_id from workflow_tasks where id = $1) and parent_id = $1 order by element`,
      [container],
    );
    return rows;
  }

  /** In an instance that resumes another: which elements had succeeded there, if the list was as long. */
  async function listSucceededElements(instanceId: string, position: number, length: number): Promise<Set<number>> {
    const { rows } = await pool.query<{ element: number; is_done: boolean }>(
      `select o.element, o.state = 'success' as is_done from workflow_instances i
       join workflow_tasks o on o.instance_id = i.resumes and o.position = $2 and o.element is not null where i.id = $1`,
      [instanceId, position],
    );
    return new Set(rows.length === length ? rows.filter((row) => row.is_done).map((row) => row.element) : []);
  }

  /** Rows for the elements of a foreach, written together with its wait for them. Results of a former run are taken over. */
  async function expand(
    client: Queryable,
    task: HeldTask & { instanceId: string; position: number },
    what: {
      key: string;
      run: string;
      queue: string;
      retry: RetryPolicy | null;
      timeoutSeconds: number;
      elements: ElementTask[];
    },
  ): Promise<boolean> {
    await client.query('select from workflow_instances where id = $1 for update', [task.instanceId]);
    const waiting = what.elements.filter(({ state }) => state !== 'success').length;
    // With nothing to wait for, the alarm goes off at once.
    const dueInSeconds = waiting === 0 ? 0 : undefined;
    const isMine = await park(task, { memo: { elements: what.elements.length }, waiting, dueInSeconds }, client);
    if (!isMine) return false;
    await client.query(
      `insert into workflow_tasks (id, instance_id, position, element, parent_id, key, run, queue, priority, state, waiting, previous, children, retry,
         timeout_seconds, created_at, updated_at)
       select e.id, t.instance_id, t.position, e.element, t.id, $2 || '[' || e.element || ']', $3, $4, t.priority, e.state, 0, t.previous, array[t.id], $5,
         $6, clock_timestamp(), clock_timestamp()
       from workflow_tasks t, json_to_recordset($7::json) e (id uuid, element integer, state text) where t.id = $1`,
      [
        task.id,
        what.key,
        what.run,
        what.queue,
        what.retry && JSON.stringify(what.retry),
        what.timeoutSeconds,
        JSON.stringify(what.elements),
      ],
    );
    await client.query(
      `update workflow_tasks t set result = o.result, attempt = o.attempt, started_at = o.started_at, finished_at = o.finished_at
       from workflow_instances i join workflow_tasks o on o.instance_id = i.resumes and o.position = $2 and o.element is not null
       where i.id = $1 and t.instance_id = $1 and t.parent_id = $3 and t.element = o.element and t.state = 'success'`,
      [task.instanceId, task.position, task.id],
    );
    return true;
  }

  async function findInstance(id: string): Promise<{ status: string; finished: boolean; error: Json } | undefined> {
    const { rows } = await pool.query<{ status: string; finished: boolean; error: Json }>(
      `select i.status, i.finished_at is not null as finished,
         coalesce((select t.error from workflow_tasks t where t.instance_id = i.id and t.state = 'error' and not t.is_hook order by t.finished_at limit 1), i.error) as error
       from workflow_instances i where i.id = $1`,
      [id],
    );
    return rows[0];
  }

  /** The instance that a task started, if it did. */
  async function findChild(taskId: string): Promise<string | undefined> {
    const { rows } = await pool.query<{ id: string }>('select id from workflow_instances where parent_task_id = $1', [
      taskId,
    ]);
    return rows[0]?.id;
  }

  /** What a parked task waited for has happened: the service looks at it again. */
  async function unpark(ids: string[]): Promise<void> {
    await pool.query(
      `with woken as (select id from workflow_tasks where id = any ($1) and state = 'parked' for update skip locked)
       update workflow_tasks t set state = 'ready', waiting = 0, due_at = null, updated_at = clock_timestamp() from woken w where t.id = w.id`,
      [ids],
    );
  }

  /** The instance that a task waits for may have ended before the task began to wait. True: it waits no more. */
  async function unparkIfEnded(taskId: string): Promise<boolean> {
    const { rowCount } = await pool.query(
      `update workflow_tasks set state = 'ready', waiting = 0, due_at = null, updated_at = clock_timestamp()
       where id = $1 and state = 'parked'
         and exists (select from workflow_instances i where i.parent_task_id = $1 and i.finished_at is not null)`,
      [taskId],
    );
    return rowCount === 1;
  }

  async function emit(change: Json): Promise<void> {
    await pool.query('insert into workflow_events (changes) values ($1)', [JSON.stringify([change])]);
  }

  async function listHeldWorkflows(): Promise<{ project: string; name: string }[]> {
    const { rows } = await pool.query<{ project: string; name: string }>(
      'select distinct project, name from workflow_instances where is_held',
    );
    return rows;
  }

  return {
    loadMemos,
    noteSkipped,
    passOn,
    park,
    listElements,
    listSucceededElements,
    expand,
    findInstance,
    findChild,
    unpark,
    unparkIfEnded,
    emit,
    releaseHeld,
    listHeldWorkflows,
  };
}

const isHeld = 'id = $1 and attempt = $2 and worker = $3 and lease_until is not null';
const holder = ({ id, attempt, worker }: HeldTask) => [id, attempt, worker];

/** Lets the oldest held instance of a workflow go, if none of the same runs. */
async function releaseHeld(client: Queryable, project: string, name: string): Promise<boolean> {
  await client.query(`select pg_advisory_xact_lock(hashtextextended('workflow ' || $1 || '.' || $2, 0))`, [
    project,
    name,
  ]);
  const { rows } = await client.query<{ id: string }>(
    `select h.id from workflow_instances h where h.is_held and h.project = $1 and h.name = $2
       and not exists (select from workflow_instances a where a.project = $1 and a.name = $2 and a.status in ('pending', 'progress') and not a.is_held)
     order by h.created_at, h.id limit 1 for update`,
    [project, name],
  );
  const id = rows[0]?.id;
  if (id !== undefined) {
    await client.query(`update workflow_instances set is_held = false, updated_at = clock_timestamp() where id = $1`, [
      id,
    ]);
    await client.query(
      `update workflow_tasks set state = 'ready', updated_at = clock_timestamp() where instance_id = $1 and state = 'held' and parent_id is null`,
      [id],
    );
  }
  return id !== undefined;
}
