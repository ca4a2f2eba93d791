import pg from 'pg';
import { StartupError } from '../errors.ts';
import type { Log, OpenedPool } from './open.ts';

const oldestSupported = 15;
const patienceMs = 4_000;

export async function openServer(settings: { databaseUrl: string; log: Log; poolSize: number }): Promise<OpenedPool> {
  const { databaseUrl, log, poolSize } = settings;
  const place = describePlace(databaseUrl);
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: poolSize,
    application_name: 'faultline',
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    // A client that vanished in the middle of a transaction must not hold its locks for ever.
    idle_in_transaction_session_timeout: 60_000,
  });
  // The server closed a connection that nobody was using. The pool replaces it; without a listener Node would exit.
  pool.on('error', (error) => log.warn({ err: error }, 'database connection lost'));
  try {
    const version = await readVersion(pool, place);
    const major = Number.parseInt(version, 10);
    if (major < oldestSupported) {
      throw new StartupError(
        `The database at ${place} is PostgreSQL ${version}, and Faultline needs ${oldestSupported} or newer.`,
      );
    }
    return { kind: 'postgres', pool, describe: () => `PostgreSQL ${version}`, closeBehindPool: async () => {} };
  } catch (error) {
    await pool.end();
    throw error;
  }
}

/** A server that is just starting gets a few seconds; a wrong password or name is told at once. */
async function readVersion(pool: pg.Pool, place: string): Promise<string> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const outcome = await Promise.race([tryVersion(pool), delay(Math.max(1, deadline - Date.now()))]);
    if (typeof outcome === 'string') return outcome;
    const isPassing = !outcome || /ECONNREFUSED|ENOENT|EAI_AGAIN|57P03/.test(codeOf(outcome));
    if (!isPassing || Date.now() + 500 > deadline) {
      throw new StartupError(
        `The database at ${place} cannot be reached (${reasonOf(outcome)}). Check DATABASE_URL and that the server runs.`,
        { cause: outcome },
      );
    }
    await delay(300);
  }
}

async function tryVersion(pool: pg.Pool): Promise<string | Error> {
  try {
    const { rows } = await pool.query<{ server_version: string }>('show server_version');
    return rows[0]?.server_version.split(' ')[0] ?? '0';
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Where the server is, without the password: this goes into messages and logs. */
function describePlace(databaseUrl: string): string {
  try {
    const { host, pathname, searchParams } = new URL(databaseUrl);
    return `${host || searchParams.get('host') || 'the local socket'}${pathname}`;
  } catch (error) {
    throw new StartupError('DATABASE_URL is not an address such as postgres://user:password@host:5432/faultline.', {
      cause: error,
    });
  }
}

const delay = (ms: number) => new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), ms).unref());
const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

function reasonOf(error: Error | undefined): string {
  if (!error) return `no answer within ${patienceMs / 1000} seconds`;
  // Trying several addresses of one name gives an AggregateError, whose own message is empty.
  const inner = error instanceof AggregateError && error.errors[0] instanceof Error ? error.errors[0] : error;
  return inner.message || codeOf(inner);
}
