import type pg from 'pg';
import type { Log } from './open.ts';

/**
 * PGlite has no autovacuum: without this, dead rows would pile up and the planner would go by the statistics of an empty table.
 */
export function startVacuum(settings: { pool: pg.Pool; isBusy: () => boolean; log: Log; everyMs?: number }) {
  const { pool, isBusy, log, everyMs = 60_000 } = settings;
  let cleanAt = '';
  let isRunning = false;

  async function vacuumIfWritten() {
    const position = await readWritePosition(pool);
    if (position === cleanAt) return;
    await pool.query('vacuum analyze');
    // The vacuum writes too, so the position is read again.
    cleanAt = await readWritePosition(pool);
  }

  const timer = setInterval(() => {
    if (isRunning || pool.ending || isBusy()) return;
    isRunning = true;
    vacuumIfWritten()
      .catch((error: unknown) => log.warn({ err: error }, 'vacuum failed'))
      .finally(() => {
        isRunning = false;
      });
  }, everyMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

async function readWritePosition(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ position: string }>('select pg_current_wal_insert_lsn()::text as position');
  return rows[0]?.position ?? '';
}
