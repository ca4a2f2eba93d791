import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { StartupError } from '../errors.ts';
import type { Database } from './open.ts';

/** Seen from `src/db` in a checkout and from `dist/db` in the package, it is the same way. */
const defaultDirectory = fileURLToPath(new URL('../../migrations', import.meta.url));

export type Migration = { version: number; name: string; checksum: string; sql: string };
type Landed = { version: number; name: string; checksum: string };

/**
 * Brings the database up to the code. Each file runs in a transaction of its own, which first takes a lock: a second process
 * waits, then finds the file landed and goes on with the next.
 */
export async function migrate(
  { pool }: Pick<Database, 'pool'>,
  { directory = defaultDirectory }: { directory?: string } = {},
): Promise<{ applied: string[]; version: number }> {
  const migrations = await readMigrations(directory);
  const applied: string[] = [];
  const client = await pool.connect();
  let failure: Error | undefined;
  try {
    for (;;) {
      await client.query('begin');
      const next = await applyNext(client, migrations);
      await client.query('commit');
      if (!next) break;
      applied.push(next.name);
    }
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
    await client.query('rollback').catch(() => {});
    throw error;
  } finally {
    client.release(failure);
  }
  return { applied, version: newestOf(migrations) };
}

/** Names of the files that have not landed yet: while there are any, the service is not ready. */
export async function pendingMigrations(
  { pool }: Pick<Database, 'pool'>,
  { directory = defaultDirectory }: { directory?: string } = {},
): Promise<string[]> {
  const migrations = await readMigrations(directory);
  const { rows } = await pool.query<{ is_there: boolean }>(
    `select to_regclass('public.migrations') is not null as is_there`,
  );
  if (!rows[0]?.is_there) return migrations.map(({ name }) => name);
  const landed = new Set((await pool.query<Landed>('select version from migrations')).rows.map((row) => row.version));
  return migrations.filter(({ version }) => !landed.has(version)).map(({ name }) => name);
}

export async function readMigrations(directory: string = defaultDirectory): Promise<Migration[]> {
  const files = (await readdir(directory)).filter((file) => file.endsWith('.sql')).toSorted();
  const migrations = await Promise.all(files.map((file) => readMigration(directory, file)));
  for (const [index, { version, name }] of migrations.entries()) {
    if (version !== index + 1) throw new Error(`Migrations are numbered from 1 without gaps, and ${name} is not.`);
  }
  return migrations;
}

/**
 * Applies the first file that has not landed, inside the caller's transaction; undefined if all have.
 * `upTo` stops earlier, which only a restore wants.
 */
export async function applyNext(
  client: pg.ClientBase,
  migrations: Migration[],
  upTo: number = newestOf(migrations),
): Promise<Migration | undefined> {
  await lockMigrations(client);
  const landed = await readLanded(client);
  refuseIfForeign(landed, migrations);
  const next = migrations[landed.length];
  if (!next || next.version > upTo) return undefined;
  await client.query(next.sql);
  await client.query('insert into migrations (version, name, checksum) values ($1, $2, $3)', [
    next.version,
    next.name,
    next.checksum,
  ]);
  return next;
}

/** Held until the transaction ends. The number is arbitrary, and only has to be the same in every process. */
export async function lockMigrations(client: pg.ClientBase): Promise<void> {
  await client.query('select pg_advisory_xact_lock(7201640)');
}

export const newestOf = (migrations: Migration[]): number => migrations.at(-1)?.version ?? 0;

async function readLanded(client: pg.ClientBase): Promise<Landed[]> {
  await client.query(`create table if not exists migrations (
    version int primary key,
    name text not null,
    checksum text not null,
    applied_at timestamptz not null default clock_timestamp()
  )`);
  const { rows } = await client.query<Landed>('select version, name, checksum from migrations order by version');
  return rows;
}

function refuseIfForeign(landed: Landed[], migrations: Migration[]): void {
  const newest = landed.at(-1)?.version ?? 0;
  if (newest > newestOf(migrations)) {
    throw new StartupError(
      `The database is at version ${newest}, and this Faultline knows only up to ${newestOf(migrations)}. Start a newer Faultline.`,
    );
  }
  for (const [index, { name, checksum }] of landed.entries()) {
    if (migrations[index]?.checksum === checksum) continue;
    throw new StartupError(
      `Migration ${name} was changed after it had been applied. Restore the file, and put the change into a new one.`,
    );
  }
}

async function readMigration(directory: string, file: string): Promise<Migration> {
  const sql = await readFile(join(directory, file), 'utf8');
  const version = Number(/^(\d{4})_[a-z0-9_]+\.sql$/.exec(file)?.[1]);
  if (!version) throw new Error(`A migration is named like 0007_what_it_does.sql, and ${file} is not.`);
  return { version, name: file, checksum: createHash('sha256').update(sql).digest('hex'), sql };
}
