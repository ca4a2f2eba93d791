import type pg from 'pg';
import type { Json } from './plan.ts';

/** One row of the event table: a batch of changes that were committed together. */
export type EventBatch = { xid: string; id: string; at: Date; changes: Json[][] };
export type EventPosition = { xid: string; id: string };

export type EventsStore = ReturnType<typeof createEventsStore>;

const keepHours = 24;
const keepRows = 200_000;

export function createEventsStore(pool: pg.Pool) {
  /**
   * The next batches in the one order that every reader sees: by transaction, and only of transactions older than any that is still open.
   *
   *   xid  10 11 12 13 14
   *         ✓  ✓  …  ✓  ✓      12 is still open: 10 and 11 are given out now, 13 and 14 later
   */
  async function listAfter(position: EventPosition, limit: number): Promise<EventBatch[]> {
    const { rows } = await pool.query<EventBatch>({
      name: 'workflow-events',
      // With the table's name: the bare names would mean the texts, and sort 10 before 9.
      text: `select e.xid::text as xid, e.id::text as id, e.at, e.changes from workflow_events e
             where (e.xid, e.id) > ($1::xid8, $2::bigint) and e.xid < pg_snapshot_xmin(pg_current_snapshot())
             order by e.xid, e.id limit $3`,
      values: [position.xid, position.id, limit],
    });
    return rows;
  }

  /** Where "from now on" begins. */
  async function end(): Promise<EventPosition> {
    const { rows } = await pool.query<EventPosition>(
      `select coalesce(max(e.xid)::text, '0') as xid, coalesce(max(e.id)::text, '0') as id
       from (select xid, id from workflow_events where xid < pg_snapshot_xmin(pg_current_snapshot()) order by xid desc, id desc limit 1) e`,
    );
    return rows[0];
  }

  /** The place of a batch that a client names, if it is still kept. */
  async function find(id: string): Promise<EventPosition | undefined> {
    const { rows } = await pool.query<EventPosition>(
      'select xid::text as xid, id::text as id from workflow_events where id = $1::bigint',
      [id],
    );
    return rows[0];
  }

  async function expire(): Promise<void> {
    await pool.query(
      `delete from workflow_events where at < clock_timestamp() - make_interval(hours => $1)
         or id < (select max(id) from workflow_events) - $2`,
      [keepHours, keepRows],
    );
  }

  return { listAfter, end, find, expire };
}
