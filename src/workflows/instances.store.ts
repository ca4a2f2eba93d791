import type pg from 'pg';
import { type Queryable } from './create-instances.store.ts';
import type { JsonObject } from './plan.ts';
import { wireTime } from './wire-time.ts';

/** A row as people see it; payload, result and error are JSON text, to be sent as it is. */
export type InstanceRow = {
  id: string;
  project: string;
  name: string;
  payload: string | null;
  periodic: boolean;
  status: string;
  comment: string | null;
  relaunched_from: string | null;
  error: string | null;
  created: string;
  updated: string;
  started: string | null;
  finished: string | null;
};
export type TaskRow = {
  id: string;
  key: string;
  /** Of an element: its foreach and its place. */
  parent: string | null;
  element: number | null;
  run: string;
  /** The instance that it started. */
  child: string | null;
  /** What whoever approves it is told. */
  message: string | null;
  queue: string;
  previous: string[];
  status: string;
  is_hook: boolean;
  is_skipped: boolean;
  attempt: number;
  progress: number | null;
  result: string | null;
  error: string | null;
  worker: string | null;
  created: string;
  updated: string;
  started: string | null;
  finished: string | null;
};
/** What is shown of one instance alone. */
export type Detail = {
  /** The task that started it, if one did and is still there. */
  parent: { instance: string; task: string } | null;
  tasks: TaskRow[];
};
type Source = {
  version: string;
  payload: JsonObject;
  project: string;
  name: string;
  status: string;
  isFinished: boolean;
};

export type InstancesStore = ReturnType<typeof createInstancesStore>;

/** One instance as people ask for it, and what belongs to it. */
export function createInstancesStore(pool: pg.Pool) {
  async function find(id: string, on: Queryable = pool): Promise<InstanceRow | undefined> {
    const { rows } = await on.query<InstanceRow>({
      name: 'workflow-find',
      text: `select ${instanceColumns(true)} from workflow_instances i where i.id = $1`,
      values: [id],
    });
    return rows[0];
  }

  /** In one statement: an instance that has ended is never seen with a task that has not. */
  async function findWithTasks(id: string): Promise<(InstanceRow & Detail) | undefined> {
    const { rows } = await pool.query<InstanceRow & Detail>({
      name: 'workflow-detail',
      text: `select ${instanceColumns(true)},
          (select json_build_object('instance', p.instance_id, 'task', p.id) from workflow_tasks p where p.id = i.parent_task_id) as parent,
          (select coalesce(json_agg(task), '[]') from (
            select t.id, t.key, t.parent_id as parent, t.element, t.run, t.queue,
              case when t.run = 'workflow' then (select c.id from workflow_instances c where c.parent_task_id = t.id limit 1) end as child,
              case when t.run = 'approval' then t.memo ->> 'message' end as message,
              t.previous, workflow_wire_status(t.state) as status, t.is_hook, t.is_skipped,
              workflow_wire_attempt(t.queue, t.attempt, t.failures, t.state) as attempt,
              t.progress, t.result::text as result, t.error::text as error, t.worker, ${times('t')}
            from workflow_tasks t where t.instance_id = i.id
            order by t.is_hook, t.position, t.element nulls first, t.id) task) as tasks
        from workflow_instances i where i.id = $1`,
      values: [id],
    });
    return rows[0];
  }

  async function findTask(
    instanceId: string,
    taskId: string,
  ): Promise<{ key: string; run: string; state: string } | undefined> {
    const { rows } = await pool.query<{ key: string; run: string; state: string }>(
      'select key, run, state from workflow_tasks where id = $2 and instance_id = $1',
      [instanceId, taskId],
    );
    return rows[0];
  }

  /** What another run of it needs. */
  async function findSource(id: string): Promise<Source | undefined> {
    const { rows } = await pool.query<Source>(
      `select version, payload, project, name, status, finished_at is not null as "isFinished" from workflow_instances where id = $1`,
      [id],
    );
    return rows[0];
  }

  /** Items that were done, by position. */
  async function listSucceeded(id: string): Promise<number[]> {
    const { rows } = await pool.query<{ position: number }>(
      `select position from workflow_tasks where instance_id = $1 and state = 'success' and element is null and position >= 0`,
      [id],
    );
    return rows.map(({ position }) => position);
  }

  /** Who runs what of an instance that should stop. */
  async function listAskedToStop(id: string): Promise<{ worker: string; ids: string[] }[]> {
    const { rows } = await pool.query<{ worker: string; ids: string[] }>(
      `select worker, array_agg(id::text) as ids from workflow_tasks where instance_id = $1 and state = 'progress' and is_cancel_asked group by worker`,
      [id],
    );
    return rows;
  }

  /** Instances that a parked task of this one waits for, and that should end with it. */
  async function listChildren(id: string): Promise<string[]> {
    const { rows } = await pool.query<{ id: string }>(
      `select c.id from workflow_tasks t join workflow_instances c on c.parent_task_id = t.id where t.instance_id = $1 and c.finished_at is null`,
      [id],
    );
    return rows.map((row) => row.id);
  }

  /** Deletes finished instances of a workflow that are too old or too many, a portion at a time. Answers how many. */
  async function expire(workflow: { project: string; name: string; days?: number; count?: number }): Promise<number> {
    const { rows } = await pool.query<{ n: number }>(
      `with old as (
         select i.id from workflow_instances i
         where i.project = $1 and i.name = $2 and i.finished_at is not null
           and not exists (select from workflow_tasks t where t.instance_id = i.id and t.state not in ('success', 'error', 'canceled'))
           and (i.created_at < clock_timestamp() - make_interval(secs => $3::double precision * 86400)
             or $4 > 0 and (i.created_at, i.id) < (select k.created_at, k.id from workflow_instances k where k.project = $1 and k.name = $2 and k.finished_at is not null
               order by k.created_at desc, k.id desc offset greatest($4::integer - 1, 0) limit 1) or $4 = 0)
         order by i.created_at limit 500 for update skip locked
       ), ids as (select array_agg(id) as ids, count(*)::integer as n from old)
       select n, case when n > 0 then workflow_delete(ids) end from ids`,
      [workflow.project, workflow.name, workflow.days ?? null, workflow.count ?? null],
    );
    return rows[0].n;
  }

  /** By id; those that are gone are missing. */
  async function listStatuses(ids: string[]): Promise<Map<string, string>> {
    if (ids.length === 0) return new Map();
    const { rows } = await pool.query<{ id: string; status: string }>(
      'select id, status from workflow_instances where id = any ($1)',
      [ids],
    );
    return new Map(rows.map(({ id, status }) => [id, status]));
  }

  /** Some task of it failed for good, or somebody canceled it. */
  async function isFailing(id: string): Promise<boolean> {
    const { rows } = await pool.query(
      'select from workflow_instances where id = $1 and (is_failing or finished_at is not null)',
      [id],
    );
    return rows.length > 0;
  }

  return {
    find,
    listStatuses,
    isFailing,
    findWithTasks,
    findTask,
    findSource,
    listSucceeded,
    listAskedToStop,
    listChildren,
    expire,
  };
}

const times = (table: string): string =>
  `${wireTime(`${table}.created_at`)} as created, ${wireTime(`${table}.updated_at`)} as updated,
   ${wireTime(`${table}.started_at`)} as started, ${wireTime(`${table}.finished_at`)} as finished`;

export const instanceColumns = (withPayload: boolean): string =>
  `i.id, i.project, i.name, ${withPayload ? 'i.payload::text' : 'null'} as payload, i.is_periodic as periodic, i.status, i.comment,
   i.relaunched_from, i.error::text as error, ${times('i')}`;
