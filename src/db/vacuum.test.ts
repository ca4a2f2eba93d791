import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { silentLog } from '../../test/harness/database.ts';
import { EmbeddedHost } from './embedded.ts';
import { findTemplate } from './template.ts';
import { startVacuum } from './vacuum.ts';

let directory: string;
let host: EmbeddedHost;
let pool: Pool;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'faultline-vacuum-'));
  host = new EmbeddedHost({ directory: join(directory, 'database'), template: findTemplate() });
  await host.start();
  pool = new Pool({ stream: host.createStream, ssl: false });
  await pool.query('create table items (id int primary key)');
}, 60_000);
afterAll(async () => {
  await pool.end();
  await host.close();
  await rm(directory, { recursive: true, force: true });
});

/** What the planner believes; -1 before the first analysis. */
async function plannedRows(): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(`select reltuples::int as n from pg_class where relname = 'items'`);
  return rows[0]?.n ?? 0;
}

test('after writes the planner learns of them, and without writes nothing runs', async () => {
  const sent: string[] = [];
  const watched = new Proxy(pool, {
    get: (target, key) => {
      if (key !== 'query') return Reflect.get(target, key, target);
      return (sql: string) => {
        sent.push(sql);
        return target.query(sql);
      };
    },
  });
  await pool.query('insert into items select generate_series(1, 1000)');
  expect(await plannedRows()).toBe(-1);
  let isBusy = true;
  const vacuum = startVacuum({ pool: watched, isBusy: () => isBusy, log: silentLog, everyMs: 10 });
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(sent).toEqual([]);
  isBusy = false;
  await vi.waitFor(async () => expect(await plannedRows()).toBe(1_000), { timeout: 20_000 });
  await vi.waitFor(() => expect(sent.length).toBeGreaterThan(6), { timeout: 20_000 });
  vacuum.stop();
  expect(sent.filter((sql) => sql === 'vacuum analyze')).toHaveLength(1);
});
