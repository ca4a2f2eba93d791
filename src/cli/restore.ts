import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Command } from 'commander';
import { StartupError } from '../errors.ts';
import { openForCommand } from './database.ts';
import { print } from './output.ts';
import { countBytes } from './progress.ts';

export function addRestoreCommand(program: Command): void {
  program
    .command('restore')
    .description('load a backup into an empty database')
    .argument('<file>', 'a file that "faultline backup" wrote; - for standard input')
    .option('--json', 'print JSON')
    .addHelpText('after', help)
    .action(restore);
}

const help = `
The settings of "faultline serve" say where the database is. It must be empty; if anything is wrong with the backup, it
stays empty.

Examples:
  FAULTLINE_DATA_DIR=fresh faultline restore faultline.backup
  DATABASE_URL=postgres://… faultline restore - < faultline.backup`;

async function restore(file: string, options: { json?: boolean }): Promise<void> {
  const source = await openSource(file);
  const database = await openForCommand();
  try {
    const { readBackup } = await import('../db/backup.ts');
    const counter = countBytes('restored', { totalBytes: source.size });
    source.stream.once('error', (error) => counter.destroy(error));
    const { rows } = await readBackup(database, source.stream.pipe(counter));
    counter.clear();
    print(options.json ? JSON.stringify({ rows }) : `Restored ${rows} rows into ${database.describe()}.`);
  } finally {
    await database.close();
  }
}

async function openSource(file: string): Promise<{ stream: Readable; size: number | undefined }> {
  if (file === '-') {
    if (process.stdin.isTTY) throw new StartupError('Standard input is the keyboard; redirect a backup into it.');
    return { stream: process.stdin, size: undefined };
  }
  let handle: FileHandle | undefined;
  try {
    handle = await open(file);
    const stat = await handle.stat();
    if (stat.isDirectory()) throw Object.assign(new Error('it is a directory'), { code: 'EISDIR' });
    return { stream: handle.createReadStream(), size: stat.isFile() ? stat.size : undefined };
  } catch (error) {
    await handle?.close();
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new StartupError(`${file} cannot be read (${code}); name a file that "faultline backup" wrote.`);
  }
}
