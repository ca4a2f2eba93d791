import type pg from 'pg';

const mostCounted = 10_000;

export type QueueDepth = { queue: string; ready: number; isMore: boolean };

/**
 * How many tasks are ready in each queue, counted up to a limit: a million that wait must not cost more to look at than a few thousand.
 * The names come from the index of ready tasks, one step for each.
 */
export async function listQueueDepths(pool: pg.Pool): Promise<QueueDepth[]> {
  const { rows } = await pool.query<{ queue: string; ready: number }>(
    `with recursive queues (queue) as (
       (select t.queue from workflow_tasks t where t.state = 'ready' order by t.queue limit 1)
       union all
       select (select t.queue from workflow_tasks t where t.state = 'ready' and t.queue > q.queue order by t.queue limit 1)
       from queues q where q.queue is not null
     )
     select q.queue, (select count(*)::integer from (
         select from workflow_tasks t where t.state = 'ready' and t.queue = q.queue limit ${mostCounted + 1}) t) as ready
     from queues q where q.queue is not null limit 1000`,
  );
  return rows.map(({ queue, ready }) => ({ queue, ready: Math.min(ready, mostCounted), isMore: ready > mostCounted }));
}
