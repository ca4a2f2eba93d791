import type pg from 'pg';
import { auditStatement } from '../db/audit.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../identity/access.ts';

export type MeasurementRow = { checkId: string; label: string; name: string; ts: number; value: number };
/** What was measured of one node by one check, ascending. */
export type PushedSeries = { check_id: string; name: string; points: Array<[number, number]> };

export type MeasurementsStore = ReturnType<typeof createMeasurementsStore>;

export function createMeasurementsStore(pool: pg.Pool) {
  return {
    /** Each key at most once. A measurement that is there is replaced. `gone`: a check has been deleted meanwhile, and nothing is written. */
    write: (teamId: string, rows: MeasurementRow[], actor: Actor): Promise<'written' | 'gone'> =>
      inTransaction(pool, async (client) => {
        const checkIds = [...new Set(rows.map(({ checkId }) => checkId))];
        // Held until we are done, so that nobody deletes a check meanwhile.
        const held = await client.query(
          'select id from qos_checks where team_id = $1 and id = any ($2::uuid[]) order by id for key share',
          [teamId, checkIds],
        );
        if (held.rows.length < checkIds.length) return 'gone';
        await client.query(
          // One order for all, so that no two writers wait for each other. What is there already is not written again.
          `insert into qos_measurements as known (team_id, check_id, label, name, ts, value)
           select $1, * from unnest($2::uuid[], $3::text[], $4::text[], $5::bigint[], $6::double precision[])
             as given (check_id, label, name, ts, value)
            order by check_id, label, name, ts
           on conflict (team_id, check_id, label, name, ts) do update
             set value = excluded.value where known.value is distinct from excluded.value`,
          [
            teamId,
            rows.map(({ checkId }) => checkId),
            rows.map(({ label }) => label),
            rows.map(({ name }) => name),
            rows.map(({ ts }) => ts),
            rows.map(({ value }) => value),
          ],
        );
        const details = { count: rows.length };
        const entry = { action: 'measurements.add', target: `team ${teamId}`, teamId, details };
        await client.query(auditStatement(actor, entry));
        return 'written';
      }),

    /** All that these checks measured of these nodes of one label from one second to another, both included: one statement. */
    async listPoints(
      teamId: string,
      checkIds: string[],
      label: string,
      names: string[],
      start: number,
      end: number,
    ): Promise<PushedSeries[]> {
      const { rows } = await pool.query<{ check_id: string; name: string; seconds: number[]; values: number[] }>(
        `select check_id, name, array_agg((ts - $5)::integer order by ts) as seconds, array_agg(value order by ts) as values
           from qos_measurements
          where team_id = $1 and check_id = any ($2::uuid[]) and label = $3 and name = any ($4::text[])
            and ts between $5 and $6
          group by check_id, name`,
        [teamId, checkIds, label, names, start, end],
      );
      return rows.map(({ check_id, name, seconds, values }) => ({
        check_id,
        name,
        points: seconds.map((second, index) => [start + second, values[index]]),
      }));
    },

    /** At most `limit` of those before a time; answers how many there were. */
    async deleteBefore(ts: number, limit: number): Promise<number> {
      const { rowCount } = await pool.query(
        `delete from qos_measurements
          where ctid = any (array(select ctid from qos_measurements where ts < $1 order by ts limit $2))`,
        [ts, limit],
      );
      return rowCount ?? 0;
    },
  };
}
