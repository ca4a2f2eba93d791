import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { newTestDatabase, newTestDirectory, openTestDatabase, silentLog } from '../../test/harness/database.ts';
import { StartupError } from '../errors.ts';
import { migrate, pendingMigrations, readMigrations } from './migrate.ts';
import { openDatabase } from './open.ts';

const shipped = fileURLToPath(new URL('../../migrations', import.meta.url));

async function copyOfMigrations(): Promise<string> {
  const directory = join(await newTestDirectory(), 'migrations');
  await cp(shipped, directory, { recursive: true });
  return directory;
}

async function addMigration(directory: string, sql: string): Promise<string> {
  const name = `${String((await readMigrations(directory)).length + 1).padStart(4, '0')}_added.sql`;
  await writeFile(join(directory, name), sql);
  return name;
}

test('migrating twice applies nothing the second time', async () => {
  const database = await openTestDatabase();
  expect(await migrate(database)).toEqual({ applied: [], version: (await readMigrations()).length });
  expect(await pendingMigrations(database)).toEqual([]);
});

test('two pools that migrate an empty database at once apply each file once', async () => {
  const settings = await newTestDatabase({ isEmpty: true });
  const first = await openDatabase({ ...settings, log: silentLog });
  // The embedded database has one process only; there the two run through one pool.
  const second = settings.databaseUrl ? await openDatabase({ ...settings, log: silentLog }) : first;
  try {
    expect(await pendingMigrations(first)).not.toEqual([]);
    const results = await Promise.all([migrate(first), migrate(second), migrate(first)]);
    const names = (await readMigrations()).map(({ name }) => name);
    expect(results.flatMap(({ applied }) => applied).toSorted()).toEqual(names);
  } finally {
    await second.close();
    await first.close();
  }
});

test('a landed file that was edited is refused', async () => {
  const database = await openTestDatabase();
  const directory = await copyOfMigrations();
  const file = join(directory, '0001_identity_and_news.sql');
  await writeFile(file, `${await readFile(file, 'utf8')}-- edited\n`);
  const attempt = migrate(database, { directory });
  await expect(attempt).rejects.toBeInstanceOf(StartupError);
  await expect(attempt).rejects.toThrow('0001_identity_and_news.sql was changed');
});

test('a database that is newer than the code is refused', async () => {
  const database = await openTestDatabase();
  const directory = await copyOfMigrations();
  await addMigration(directory, 'create table added (id int primary key);');
  await migrate(database, { directory });
  await expect(migrate(database)).rejects.toThrow(/^The database is at version \d+, and this Faultline knows only/);
});

test('a file that fails half-way leaves nothing of itself', async () => {
  const database = await openTestDatabase();
  const directory = await copyOfMigrations();
  const name = await addMigration(directory, 'create table half (id int primary key); select 1 / 0;');
  await expect(migrate(database, { directory })).rejects.toThrow('division by zero');
  expect(await pendingMigrations(database, { directory })).toEqual([name]);
  const { rows } = await database.pool.query(`select to_regclass('half') as half`);
  expect(rows).toEqual([{ half: null }]);
});
