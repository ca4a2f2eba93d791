import { Client, Pool } from 'pg';
import { StartupError } from '../errors.ts';
import type { Log, OpenedPool } from './open.ts';

const oldestSupported = 15;
const patienceMs = 4_000;

export async function openServer(settings: { databaseUrl: string; log: Log; poolSize: number }): Promise<OpenedPool> {
  const { databaseUrl, log, poolSize } = settings;
  const place = describePlace(databaseUrl);
  const version = await readVersion(databaseUrl, place);
  if (Number.parseInt(version, 10) < oldestSupported) {
    throw new StartupError(
      `The database at ${place} is PostgreSQL ${version}, and Faultline needs ${oldestSupported} or newer.`,
    );
  }
  const pool = new Pool({
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
  return { kind: 'postgres', pool, describe: () => `PostgreSQL ${version}`, closeBehindPool: async () => {} };
}

/** A server that is just starting gets a few seconds; a wrong password or name is told at once. */
async function readVersion(databaseUrl: string, place: string): Promise<string> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    try {
      return await tryVersion(databaseUrl, deadline - Date.now());
    } catch (error) {
      const isStarting = /ECONNREFUSED|ENOENT|EAI_AGAIN|57P03/.test(codeOf(error));
      if (isStarting && Date.now() + 500 < deadline) {
        await new Promise((resolve) => setTimeout(resolve, 300));
        continue;
      }
      throw new StartupError(
        `The database at ${place} cannot be used (${reasonOf(error)}). Check DATABASE_URL and that the server runs.`,
        { cause: error },
      );
    }
  }
}

async function tryVersion(connectionString: string, connectionTimeoutMillis: number): Promise<string> {
  const client = new Client({ connectionString, connectionTimeoutMillis, query_timeout: connectionTimeoutMillis });
  // A connection that breaks once more after the first error has nobody else to tell.
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ server_version: string }>('show server_version');
    return rows[0]?.server_version.split(' ')[0] ?? '0';
  } finally {
    client.end().catch(() => {});
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

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (/timeout/i.test(error.message)) return `no answer within ${patienceMs / 1000} seconds`;
  // Trying several addresses of one name gives an AggregateError, whose own message is empty.
  const inner = error instanceof AggregateError && error.errors[0] instanceof Error ? error.errors[0] : error;
  return inner.message || codeOf(inner);
}
