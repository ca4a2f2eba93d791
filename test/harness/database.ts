import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, inject } from 'vitest';
import { migrate } from '../../src/db/migrate.ts';
import { type Database, openDatabase } from '../../src/db/open.ts';
import { runOn, withDatabase } from './global-setup.ts';

export const silentLog = pino({ level: 'silent' });

/** Which database this run of the file is about. */
export const isPostgresProject = (): boolean => Boolean(inject('serverUrl'));

/** A fresh, migrated database of the current project's kind. It is closed and removed at the end of the file. */
export async function openTestDatabase({ poolSize = 10 } = {}): Promise<Database> {
  const settings = await newTestDatabase();
  const database = await openDatabase({ ...settings, log: silentLog, poolSize });
  cleanups.push(() => database.close());
  if (database.kind === 'embedded') await migrate(database);
  return database;
}

/** What `openDatabase` needs for a new database: a migrated one on the server, or a directory that does not exist yet. */
export async function newTestDatabase({ isEmpty = false } = {}): Promise<{ databaseUrl?: string; dataDir: string }> {
  const directory = await newTestDirectory();
  const dataDir = join(directory, 'data');
  if (!isPostgresProject()) return { dataDir };
  const serverUrl = inject('serverUrl');
  const name = `faultline_test_${randomBytes(6).toString('hex')}`;
  const template = isEmpty ? 'template1' : inject('templateName');
  await createFromTemplate(serverUrl, name, template);
  cleanups.push(() => runOn(serverUrl, `drop database if exists ${name} with (force)`));
  return { databaseUrl: withDatabase(serverUrl, name), dataDir };
}

/** A temporary directory that goes at the end of the file. */
export async function newTestDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'faultline-test-'));
  cleanups.push(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** Newest first, so that a database is closed before it is removed. */
const cleanups: Array<() => Promise<void>> = [];
afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** Two files that copy one template at the same time can be refused by the server: the second tries again. */
async function createFromTemplate(serverUrl: string, name: string, template: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      return await runOn(serverUrl, `create database ${name} template ${template}`);
    } catch (error) {
      const isTemplateBusy = error instanceof Error && 'code' in error && error.code === '55006';
      if (!isTemplateBusy || tries > 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
