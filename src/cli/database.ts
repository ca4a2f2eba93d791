import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../config.ts';
import type { Database } from '../db/open.ts';
import { StartupError } from '../errors.ts';

/** The database that the settings name, for a command that works on it without a server. Log lines go to standard error. */
export async function openForCommand({ mustExist = false } = {}): Promise<Database> {
  const { databaseUrl, dataDir } = readConfig(process.env);
  // Opening makes an embedded database where there is none, and a backup of that would look like success.
  if (mustExist && databaseUrl === undefined && !existsSync(join(dataDir, 'database'))) {
    throw new StartupError(
      `There is no database in ${dataDir}. Set FAULTLINE_DATA_DIR to the directory that the server uses, or DATABASE_URL.`,
    );
  }
  // Loaded late: commands that talk to a server start in a fraction of the time without them.
  const [{ openDatabase }, { pino }] = await Promise.all([import('../db/open.ts'), import('pino')]);
  return openDatabase({ databaseUrl, dataDir, log: pino({ level: 'warn' }, pino.destination(2)), poolSize: 2 });
}
