import type pg from 'pg';
import type { EmitClient } from './emitter.store.ts';

/** An instance that started or ended, in the order in which that was committed. */
export type InstanceChange = { instanceId: string; project: string; name: string; status: string; at: Date };
export type InstanceDetails = {
  id: string;
  comment: string | null;
  is_periodic: boolean;
  relaunched_from: string | null;
  created_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
  /** JSON text, as it was reported. */
  error: string | null;
  task_id: string | null;
  task_key: string | null;
  task_error: string | null;
};
export type ReadOn = (client: EmitClient, changes: InstanceChange[]) => Promise<void>;

export type WorkflowSourceStore = ReturnType<typeof createWorkflowSourceStore>;

export function createWorkflowSourceStore(pool: pg.Pool) {
  return {
    /**
     * Hands over the next changes and moves the cursor behind them, in one transaction: what `tell` writes and where to go on are there
     * together or not at all. One process at a time; another finds the row locked and leaves. Returns whether there may be more.
     */
    async readOn(limit: number, tell: ReadOn): Promise<boolean> {
      if (!(await isThereMore(pool))) return false;
      const client = await pool.connect();
      try {
        await client.query('begin');
        const batches = await lockAndRead(client, limit);
        const last = batches.at(-1);
        if (last) {
          await tell(client, batches.flatMap(changesOf));
          await client.query(
            `update notification_cursors set xid = $1::xid8, id = $2::bigint where source = 'workflows'`,
            [last.xid, last.id],
          );
        }
        await client.query(last ? 'commit' : 'rollback');
        return batches.length === limit;
      } catch (error) {
        await client.query('rollback').catch(() => undefined);
        throw error;
      } finally {
        client.release();
      }
    },

    async loadStates(client: EmitClient, subjects: string[]): Promise<Map<string, string>> {
      const { rows } = await client.query<{ subject: string; status: string }>(
        'select subject, status from notification_states where subject = any ($1::text[])',
        [subjects],
      );
      return new Map(rows.map(({ subject, status }) => [subject, status]));
    },

    async saveStates(client: EmitClient, states: Map<string, string>): Promise<void> {
      await client.query(
        `insert into notification_states (subject, status) select * from unnest($1::text[], $2::text[])
         on conflict (subject) do update set status = excluded.status where notification_states.status <> excluded.status`,
        [[...states.keys()], [...states.values()]],
      );
    },

    /** With the task that failed first, where one did. */
    async loadDetails(client: EmitClient, instanceIds: string[]): Promise<Map<string, InstanceDetails>> {
      const { rows } = await client.query<InstanceDetails>(
        `select i.id, i.comment, i.is_periodic, i.relaunched_from, i.created_at, i.started_at, i.finished_at, i.error::text as error,
           t.id as task_id, t.key as task_key, t.error::text as task_error
         from workflow_instances i
         left join lateral (
           select t.id, t.key, t.error from workflow_tasks t
           where t.instance_id = i.id and t.state = 'error' and not t.is_hook and i.status = 'error'
           -- A foreach fails with its element, which knows more.
           order by t.finished_at, t.element is null, t.position, t.element limit 1
         ) t on true
         where i.id = any ($1::uuid[])`,
        [instanceIds],
      );
      return new Map(rows.map((row) => [row.id, row]));
    },
  };
}

type Batch = { xid: string; id: string; at: Date; changes: [string, string, string, string][] | null };

/** Without a lock, which would be a write: most of the time there is nothing. */
async function isThereMore(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query({
    name: 'notification-more-workflows',
    text: `select 1 from notification_cursors c
           cross join lateral (select 1 from workflow_events e where (e.xid, e.id) > (c.xid, c.id)
             and e.xid < pg_snapshot_xmin(pg_current_snapshot()) order by e.xid, e.id limit 1) e
           where c.source = 'workflows'`,
  });
  return rows.length > 0;
}

/** The order and the bound are those of src/workflows/events.store.ts; only what is about instances is sent over. */
async function lockAndRead(client: pg.PoolClient, limit: number): Promise<Batch[]> {
  const { rows } = await client.query<{ xid: string; id: string }>(
    `select xid::text as xid, id::text as id from notification_cursors where source = 'workflows' for update skip locked`,
  );
  if (rows.length === 0) return [];
  const read = await client.query<Batch>({
    name: 'notification-read-workflows',
    text: `select e.xid::text as xid, e.id::text as id, e.at,
             (select jsonb_agg(jsonb_build_array(c.value -> 1, c.value -> 2, c.value -> 3, c.value -> 4) order by c.place)
              from jsonb_array_elements(e.changes) with ordinality c (value, place)
              where c.value ->> 0 = 'i' and c.value ->> 4 <> 'pending') as changes
           from workflow_events e
           where (e.xid, e.id) > ($1::xid8, $2::bigint) and e.xid < pg_snapshot_xmin(pg_current_snapshot())
           order by e.xid, e.id limit $3`,
    values: [rows[0].xid, rows[0].id, limit],
  });
  return read.rows;
}

const changesOf = ({ at, changes }: Batch): InstanceChange[] =>
  (changes ?? []).map(([instanceId, project, name, status]) => ({ instanceId, project, name, status, at }));
