import type pg from 'pg';
import { auditStatement } from '../db/audit.ts';
import type { Actor } from '../identity/access.ts';
import type { Queryable } from './create-instances.store.ts';

export type ScheduleRow = {
  fullname: string;
  version: string;
  next_run: Date | null;
  last_run: Date | null;
  is_paused: boolean;
};

export type SchedulesStore = ReturnType<typeof createSchedulesStore>;

export function createSchedulesStore(pool: pg.Pool) {
  async function list(): Promise<ScheduleRow[]> {
    return (await pool.query<ScheduleRow>(`select ${columns} from workflow_schedules`)).rows;
  }

  /** A new schedule, or one that changed, begins at `nextRun`; one that is known goes on as it is. Whether it is paused stays. */
  async function save(schedules: { fullname: string; version: string; nextRun: Date | null }[]): Promise<void> {
    await pool.query(
      `insert into workflow_schedules as s (fullname, version, next_run)
       select * from unnest($1::text[], $2::text[], $3::timestamptz[])
       on conflict (fullname) do update set version = excluded.version, updated_at = clock_timestamp(),
         next_run = case when not s.is_paused then excluded.next_run end
       where s.version <> excluded.version`,
      [
        schedules.map(({ fullname }) => fullname),
        schedules.map(({ version }) => version),
        schedules.map(({ nextRun }) => nextRun),
      ],
    );
  }

  return { list, save, takeDue, moveOn, setPaused };
}

const columns = 'fullname, version, next_run, last_run, is_paused';

/** Those whose time has come, kept from all other processes until the transaction ends. */
async function takeDue(client: Queryable, fullnames: string[], now: Date): Promise<ScheduleRow[]> {
  const { rows } = await client.query<ScheduleRow>(
    `select ${columns} from workflow_schedules
     where fullname = any ($1) and next_run <= $2 and not is_paused order by next_run limit 10 for update skip locked`,
    [fullnames, now],
  );
  return rows;
}

async function moveOn(client: Queryable, fullname: string, lastRun: Date, nextRun: Date | null): Promise<void> {
  await client.query(
    `update workflow_schedules set last_run = $2, next_run = $3, updated_at = clock_timestamp() where fullname = $1`,
    [fullname, lastRun, nextRun],
  );
}

async function setPaused(
  client: Queryable,
  fullname: string,
  isPaused: boolean,
  nextRun: Date | null,
  actor: Actor,
): Promise<void> {
  await client.query(
    `update workflow_schedules set is_paused = $2, next_run = $3, updated_at = clock_timestamp() where fullname = $1 and is_paused <> $2`,
    [fullname, isPaused, nextRun],
  );
  const action = isPaused ? 'schedule.pause' : 'schedule.resume';
  const { text, values } = auditStatement(actor, { action, target: `workflow ${fullname}` });
  await client.query(text, values);
}
