import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { countWrites, createLedger, findLosses, type Ledger, writeUntilGone } from './crash-writers.ts';
import { isPostgresProject, newTestDatabase } from './harness/database.ts';
import { findPostgresBinaries, type PostgresServer, startPostgres } from './harness/postgres.ts';
import { type Service, startService } from './harness/service.ts';

const rounds = 5;
const writers = 6;
const testMs = 180_000;

type Settings = { dataDir: string; databaseUrl?: string };

/** Kills the service in the midst of writes, five times, with whatever else `crash` kills, and looks for everything after each start. */
async function crashAndCompare(settings: Settings, crash: (service: Service) => Promise<void>): Promise<Ledger> {
  const ledger = createLedger();
  let service = await startService(settings);
  try {
    for (let round = 1; round <= rounds; round++) {
      const before = countWrites(ledger);
      const writing = Array.from({ length: writers }, (_, n) => writeUntilGone(service, ledger, `${round}-${n}`));
      // However slow the machine, something was acknowledged; from there on, so early or so late that any statement may be hit.
      while (countWrites(ledger) === before) await delay(5);
      await delay(Math.random() * 1000);
      await crash(service);
      await Promise.all(writing);
      service = await startService(settings);
      expect(await findLosses(service, ledger), `losses in round ${round}`).toEqual([]);
      // What was open at the crash has been judged; from here on it counts as it was found.
      await settlePending(service, ledger);
    }
  } finally {
    await service.kill();
  }
  return ledger;
}

test('five times kill -9 under writes lose nothing that was acknowledged', { timeout: testMs }, async () => {
  const settings = await newTestDatabase();
  const ledger = await crashAndCompare(settings, (service) => service.kill());
  expect(ledger.news.size).toBeGreaterThan(0);
});

describe.runIf(isPostgresProject())('when the database server crashes too', () => {
  let server: PostgresServer | undefined;
  beforeAll(async () => {
    const binaries = await findPostgresBinaries();
    // The server that the other tests share does not sync to disk; this one does.
    if (binaries) server = await startPostgres(binaries, { isDurable: true });
  });
  afterAll(async () => {
    await server?.stop();
  });

  test('nothing that was acknowledged is lost', { timeout: testMs }, async ({ skip }) => {
    const url = server?.url ?? '';
    if (url === '') skip('no PostgreSQL of our own to crash');
    const { dataDir } = await newTestDatabase();
    const ledger = await crashAndCompare({ dataDir, databaseUrl: url }, async (service) => {
      await Promise.all([service.kill(), crashServer(url)]);
      await untilServerIsBack(url);
    });
    expect(ledger.news.size).toBeGreaterThan(0);
  });
});

test.skipIf(isPostgresProject())(
  'a second process on the same data directory is refused in one line and harms nothing',
  { timeout: testMs },
  async () => {
    const settings = await newTestDatabase();
    const ledger = createLedger();
    const first = await startService(settings);
    const writing = writeUntilGone(first, ledger, 'first');
    const second = await serveOnce(settings);
    expect(second.code).toBe(2);
    expect(second.output).toBe(
      `faultline: The data directory ${settings.dataDir} is in use by another Faultline process (pid ${first.pid}). Stop it, or set FAULTLINE_DATA_DIR to another directory.\n`,
    );
    // Fails by time-out if the first does not go on.
    const writesBefore = countWrites(ledger);
    while (countWrites(ledger) === writesBefore) await delay(5);
    await first.kill();
    await writing;
    const again = await startService(settings);
    expect(await findLosses(again, ledger)).toEqual([]);
    await again.kill();
  },
);

/** A server process that dies by a signal takes the whole server through crash recovery: shared memory is thrown away, the log replayed. */
async function crashServer(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  process.kill(rows[0].pid, 'SIGKILL');
  await new Promise<void>((resolve) => client.once('end', () => resolve()));
}

async function untilServerIsBack(url: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      await delay(100);
    }
  }
  throw new Error('PostgreSQL did not come back.');
}

/** `faultline serve` as a person would start it a second time. */
function serveOnce(settings: Settings): Promise<{ code: unknown; output: string }> {
  const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
  const env = { ...process.env, PORT: '0', FAULTLINE_DATA_DIR: settings.dataDir, DATABASE_URL: '' };
  return new Promise((resolve) => {
    execFile(process.execPath, [main, 'serve'], { env, timeout: 60_000 }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    );
  });
}

async function settlePending(service: Service, ledger: Ledger): Promise<void> {
  const headers = { authorization: `Bearer ${service.adminToken}` };
  for (const id of ledger.pendingNews.keys()) {
    const answer = await fetch(`${service.url}/v1/news/${id}`, { headers });
    const { title, message } = (await answer.json()) as { title: string; message: string }; // our own interface
    ledger.news.set(id, { title, message });
  }
  for (const id of ledger.pendingGrants.keys()) {
    const answer = await fetch(`${service.url}/v1/teams/${id}/grants`, { headers });
    const { grants } = (await answer.json()) as { grants: { user: string; role: string }[] }; // our own interface
    ledger.grants.set(
      id,
      grants.map(({ user, role }) => ({ user, role })),
    );
  }
  ledger.pendingNews.clear();
  ledger.pendingGrants.clear();
}

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
