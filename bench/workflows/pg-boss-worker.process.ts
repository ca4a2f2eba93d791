/**
 * pg-boss as a queue, the graph in the user's code: what is done is counted in a table of ours, in the same transaction in which the next
 * jobs are sent. (Its own `flow` lets dependents go in a background pass, once a second at most, so nobody in a hurry would use it.)
 * Batches and notifications on: without them every hop would wait for a poll of half a second.
 */
import { type Client, Pool } from 'pg';
import { type Job, type JobInsert, type JobResult, PgBoss } from 'pg-boss';
import { chainLength, fanWidth, next, type Result } from './shapes.ts';
import { concurrency } from './system.ts';
import { tell } from './tell.ts';

const queue = 'tasks';
const { DATABASE_URL: connectionString = '' } = process.env;
const boss = new PgBoss({ connectionString, useListenNotify: true, max: 10 });
boss.on('error', (error) => process.stderr.write(`${error}\n`));
const pool = new Pool({ connectionString, max: 10 });

type Data = { id: string; key: string; place?: number; previous?: Result; tellPort?: number };
type Finished = { id: string; key: string; result: Result; place: number };
type Joined = { id: string; waiting: number; total: number };

await pool.query(`create table if not exists dags (
  id uuid primary key, waiting integer not null, total integer not null default 0, result jsonb, ended_at timestamptz)`);
await boss.start();
await boss.createQueue(queue, { notify: true });
// Two fetchers: one fetches while the other completes.
const options = {
  batchSize: concurrency / 2,
  localConcurrency: 2,
  burstWhenBatchFull: true,
  perJobResults: true,
} as const;
await boss.work<Data, Result, typeof options>(queue, options, work);
process.stdout.write('working\n');

async function work(jobs: Job<Data>[]): Promise<JobResult[]> {
  const finished = jobs.map(({ data }) => ({ id: data.id, key: data.key, place: data.place ?? 0, result: run(data) }));
  await advance(finished);
  return jobs.map(({ id }, index) => ({ id, status: 'completed', output: finished[index].result }));
}

function run({ id, key, place, previous, tellPort }: Data): Result {
  if (key === 'A' || key === 'LIST' || (key === 'STEP' && place === 0)) tell(tellPort, id);
  return key === 'E' || key === 'JOIN' ? { n: previous?.n ?? 0 } : next(previous);
}

async function advance(finished: Finished[]): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const jobs = [...finished.flatMap(following), ...(await joined(client, finished))];
    // pg-boss takes any connection that can run SQL: its jobs are sent when the transaction commits.
    const db = { executeSql: (text: string, values?: unknown[]) => client.query(text, values) };
    if (jobs.length > 0) await boss.insert(queue, jobs, { db });
    await end(client, finished);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

function following({ id, key, place, result }: Finished): JobInsert<Data>[] {
  if (key === 'A') return ['B', 'C', 'D'].map((child) => ({ data: { id, key: child, previous: result } }));
  if (key === 'LIST') return Array.from({ length: fanWidth }, () => ({ data: { id, key: 'ITEM' } }));
  if (key === 'STEP' && place < chainLength - 1)
    return [{ data: { id, key: 'STEP', place: place + 1, previous: result } }];
  return [];
}

/** Of the workflows whose branches are all done, the job that joins them. */
async function joined(client: Pick<Client, 'query'>, finished: Finished[]): Promise<JobInsert<Data>[]> {
  const branches = finished.filter(({ key }) => ['B', 'C', 'D', 'ITEM'].includes(key));
  if (branches.length === 0) return [];
  const { rows } = await client.query<Joined>({
    name: 'join',
    text: `update dags d set waiting = d.waiting - b.count, total = d.total + b.total
           from (select id, count(*)::integer as count, sum(n)::integer as total from unnest($1::uuid[], $2::integer[]) x (id, n) group by id order by id) b
           where d.id = b.id returning d.id, d.waiting, d.total`,
    values: [branches.map(({ id }) => id), branches.map(({ result }) => result.n)],
  });
  const keys = new Map(branches.map(({ id, key }) => [id, key === 'ITEM' ? 'JOIN' : 'E']));
  return rows
    .filter(({ waiting }) => waiting === 0)
    .map(({ id, total }) => ({ data: { id, key: keys.get(id) ?? '', previous: { n: total } } }));
}

async function end(client: Pick<Client, 'query'>, finished: Finished[]): Promise<void> {
  const ended = finished.filter(
    ({ key, place }) => key === 'E' || key === 'JOIN' || (key === 'STEP' && place === chainLength - 1),
  );
  if (ended.length === 0) return;
  await client.query({
    name: 'end',
    text: `with e as (update dags d set result = x.result, ended_at = clock_timestamp()
             from unnest($1::uuid[], $2::jsonb[]) x (id, result) where d.id = x.id returning d.id)
           select pg_notify('dag_ended', string_agg(id::text, ',')) from e`,
    values: [ended.map(({ id }) => id), ended.map(({ result }) => JSON.stringify(result))],
  });
}
