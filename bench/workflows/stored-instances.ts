import type { Client } from 'pg';

/** Between two starts: a history of a million is a hundred days long, and every hour of it holds the same. */
const secondsApart = 8.64;
const chunk = 50_000;
const secondary = ['workflow_instances', 'workflow_tasks'];

/**
 * The rows of so many finished dags, as the service would have left them, the newest one now. Written in the database itself: through the
 * interface a million of them would take an hour.
 */
export async function storeInstances(client: Client, count: number): Promise<void> {
  // JIT compilation of these statements takes longer than the statements; what is lost in a crash is made again.
  await client.query('set jit = off; set synchronous_commit = off');
  const newest = new Date();
  const indexes = await dropIndexes(client);
  for (let from = 0; from < count; from += chunk) {
    const values = [from, Math.min(from + chunk, count) - 1, count, secondsApart, newest];
    await client.query(instancesStatement, values);
    await client.query(tasksStatement, values);
  }
  await client.query(`set maintenance_work_mem = '256MB'`);
  for (const index of indexes) await client.query(index);
  await client.query('select workflow_fold_counts()');
  await client.query('vacuum analyze workflow_instances');
  await client.query('vacuum analyze workflow_tasks');
  await client.query('checkpoint');
}

/** Filled first and indexed then, a table is ready in half the time. Keys stay. */
async function dropIndexes(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ indexname: string; indexdef: string }>(
    `select indexname, indexdef from pg_indexes i where tablename = any ($1)
     and not exists (select from pg_constraint c where c.conname = i.indexname)`,
    [secondary],
  );
  for (const { indexname } of rows) await client.query(`drop index ${indexname}`);
  return rows.map(({ indexdef }) => indexdef);
}

/**
 * Ids like those of the service: the time, then what makes them unique. Place 0 is the instance, 1 to 5 are its tasks. Made once an instance:
 * made where they are used, they would take longer than all the rest.
 */
const ids = [0, 1, 2, 3, 4, 5].map((place) => `(t.hex || '700${place}8000' || t.rest)::uuid as id${place}`).join(', ');

const moments = `
with m as materialized (
  select i, t.at, ${ids}
  from generate_series($1::bigint, $2::bigint) i
  cross join lateral (select $5::timestamptz - make_interval(secs => ($3 - i) * $4::double precision) as at) a
  cross join lateral (select a.at, lpad(to_hex((extract(epoch from a.at) * 1000)::bigint), 12, '0') as hex, lpad(to_hex(i), 12, '0') as rest) t
)`;

const instancesStatement = `${moments}
insert into workflow_instances (id, project, name, version, payload, is_periodic, status, open_sinks, is_failing, created_at, updated_at, started_at,
  finished_at)
select m.id0, 'project' || m.i % 5, 'WORKFLOW' || m.i % 20, 'v1', json_build_object('order', m.i, 'customer', md5(m.i::text)), m.i % 3 = 0, s.status,
  0, s.status = 'error', m.at, m.at + interval '2 s', m.at + interval '10 ms', m.at + interval '2 s'
from m
cross join lateral (select case when m.i % 50 = 0 then 'error' when m.i % 101 = 0 then 'canceled' else 'success' end as status) s`;

const tasksStatement = `${moments}
insert into workflow_tasks (id, instance_id, position, key, run, queue, priority, state, waiting, previous, children, attempt, timeout_seconds, worker,
  result, created_at, updated_at, started_at, finished_at)
select k.id, m.id0, k.position, k.key, k.key, 'celery', 0, 'success', 0, k.previous, k.children, 1, 3600, 'host:1', json_build_object('n', m.i),
  m.at, m.at + interval '1 s', m.at + interval '500 ms', m.at + interval '1 s'
from m
cross join lateral (values
  (0, 'A', m.id1, '{}'::uuid[], array[m.id2, m.id3, m.id4]),
  (1, 'B', m.id2, array[m.id1], array[m.id5]),
  (2, 'C', m.id3, array[m.id1], array[m.id5]),
  (3, 'D', m.id4, array[m.id1], array[m.id5]),
  (4, 'E', m.id5, array[m.id2, m.id3, m.id4], '{}'::uuid[])) k (position, key, id, previous, children)`;
