import { Client } from 'pg';
import { findPostgresBinaries, type PostgresServer, startPostgres } from '../../test/harness/postgres.ts';

let server: Promise<PostgresServer> | undefined;
let databases = 0;

/** One durable server for the whole run, started when it is first needed. */
async function openPostgres(): Promise<PostgresServer> {
  server ??= findPostgresBinaries().then((binaries) => {
    if (binaries === undefined) throw new Error('These cases need PostgreSQL (initdb and postgres) on this machine.');
    return startPostgres(binaries, { isDurable: true });
  });
  return server;
}

/** An empty database of its own on that server, so that nothing of an earlier measurement is left in its tables. */
export async function createDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const { url } = await openPostgres();
  const name = `bench_${++databases}`;
  await withClient(url, (client) => client.query(`create database ${name}`));
  const own = new URL(url);
  own.pathname = `/${name}`;
  return {
    url: own.href,
    drop: async () => void (await withClient(url, (client) => client.query(`drop database ${name} with (force)`))),
  };
}

/** What earlier writes left to do is done before the next measurement begins. */
export const checkpoint = async (url: string): Promise<void> =>
  void (await withClient(url, (client) => client.query('checkpoint')));

export async function withClient<Result>(url: string, use: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

export async function closePostgres(): Promise<void> {
  const running = server;
  server = undefined;
  await (await running)?.stop();
}
