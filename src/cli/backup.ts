import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import type { Database } from '../db/open.ts';
import { StartupError } from '../errors.ts';
import { type ClientOptions, clientConfig } from './client-options.ts';
import { openForCommand } from './database.ts';
import { writeDestination } from './destination.ts';
import { download } from './download.ts';
import { describeBytes } from './progress.ts';

export function addBackupCommand(program: Command): void {
  program
    .command('backup')
    .description('write all data of the database into one file')
    .argument('<file>', 'where to; - for standard output')
    .option('--server', 'let a running server make it, instead of opening the database here (needs the scope Admin)')
    .option('--url <address>', 'with --server: which one (FAULTLINE_URL, else the one of "faultline login")')
    .option('--token <token>', 'with --server: who asks (FAULTLINE_TOKEN, else the one of "faultline login")')
    .option('--json', 'print JSON')
    .addHelpText('after', help)
    .action(backup);
}

const help = `
The file is gzip, fits both the embedded database and PostgreSQL, and is readable by you only: it holds everything that the
database holds. It appears under its name when it is complete. Without --server the settings of "faultline serve" say where
the database is; a running server on the embedded database keeps it to itself, so use --server then.

Examples:
  faultline backup faultline.backup
  faultline backup --server faultline.backup
  DATABASE_URL=postgres://… faultline backup - | ssh store 'cat > faultline.backup'`;

async function backup(file: string, options: ClientOptions & { server?: boolean }): Promise<void> {
  if (!options.server && (options.url !== undefined || options.token !== undefined)) {
    throw new StartupError('--url and --token are for a backup made by a server; add --server.');
  }
  const produce = options.server ? fromServer(options) : fromDatabase;
  const bytes = await writeDestination(file, produce);
  const summary = options.json
    ? JSON.stringify({ file, bytes })
    : `The backup is complete: ${describeBytes(bytes)}${file === '-' ? '' : ` in ${file}`}.`;
  // With "-" standard output is the backup itself.
  (file === '-' ? process.stderr : process.stdout).write(`${summary}\n`);
}

function fromServer(options: ClientOptions) {
  const config = clientConfig(options);
  return async (sink: Writable): Promise<void> => pipeline(await download(config, '/v1/backup'), sink);
}

async function fromDatabase(sink: Writable): Promise<void> {
  const database = await openForCommand({ mustExist: true }).catch(explainLock);
  try {
    const { writeBackup } = await import('../db/backup.ts');
    await writeBackup(database, sink);
  } catch (error) {
    const isMissingTable = error instanceof Error && 'code' in error && error.code === '42P01';
    throw isMissingTable
      ? new StartupError('The database has no tables of Faultline; there is nothing to save.')
      : error;
  } finally {
    await database.close();
  }
}

/** The lock's own advice (stop it, or take another directory) is not what somebody who wants a backup needs. */
function explainLock(error: unknown): Database {
  const [, inUse] =
    (error instanceof StartupError && /^(.* is in use by another .*?\(pid \d+\))/.exec(error.message)) || [];
  if (inUse === undefined) throw error;
  throw new StartupError(`${inUse}. Let that process make the backup: faultline backup --server FILE.`, {
    cause: error,
  });
}
