/** The limit of any ingest: rows that were encoded beforehand, copied straight into the service's own tables. Prints the seconds it took. */
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { ClientBase } from 'pg';
import { pino } from 'pino';
import { copyIn } from '../../src/db/copy-in.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open.ts';

const { DATABASE_URL = '', DATA_DIR = '', WARM_UP = '', ROWS = '' } = process.env;
const statements: Record<string, string> = {
  '.nodes': 'copy nodes (team_id, id, label, name, active_from, active_to) from stdin (format binary)',
  '.relationships': 'copy relationships (team_id, id, source_id, target_id, facts) from stdin (format binary)',
};
const log = pino({ level: 'silent' });
const database = await openDatabase({ databaseUrl: DATABASE_URL, dataDir: DATA_DIR, log });
await migrate(database);
const client = await database.pool.connect();
await copyAll(client, WARM_UP);
const seconds = await copyAll(client, ROWS);
process.stdout.write(`${JSON.stringify({ seconds })}\n`);
client.release();
await database.close();
process.exit(0);

async function copyAll(client: ClientBase, directory: string): Promise<number> {
  const names = (await readdir(directory)).toSorted();
  const files = await Promise.all(
    names.map(async (name) => ({ statement: statements[extname(name)], rows: await readFile(join(directory, name)) })),
  );
  await client.query('checkpoint');
  const startedAt = performance.now();
  for (const { statement, rows } of files) await copyIn(client, statement, rows);
  return (performance.now() - startedAt) / 1000;
}
