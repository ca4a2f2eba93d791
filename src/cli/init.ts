import { cp, mkdir, readdir } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { StartupError } from '../errors.ts';
import { reasonOf } from './client.ts';
import { print } from './output.ts';

/** What a new home begins with; lies beside this file, in the package too. */
const template = fileURLToPath(new URL('./init-home/', import.meta.url));

export function addInitCommand(program: Command): void {
  program
    .command('init')
    .description('write a home for workflows that works at once')
    .argument('<dir>', 'the folder; made if it is not there')
    .option('--force', 'also into a folder that is not empty; files that are there stay as they are')
    .option('--json', 'print what was written as JSON')
    .addHelpText('after', help)
    .action(init);
}

const help = `
A home holds definitions (workflows.yml), tasks (tasks/*.ts), and schemas of payloads (schemas/*.json).

Examples:
  faultline init home
  FAULTLINE_HOME=home faultline serve`;

async function init(directory: string, options: { force?: boolean; json?: boolean }): Promise<void> {
  const target = resolve(directory);
  try {
    await mkdir(target, { recursive: true });
    const existing = await listFiles(target);
    if (existing.length > 0 && !options.force) {
      throw new StartupError(
        `${directory} is not empty; name another folder, or add --force: what is there stays as it is.`,
      );
    }
    const files = await listFiles(template);
    const kept = files.filter((file) => existing.includes(file));
    const written = files.filter((file) => !existing.includes(file));
    // `force: false`: a file that is there is somebody's work.
    await cp(template, target, { recursive: true, force: false, errorOnExist: false });
    print(options.json ? JSON.stringify({ home: target, written, kept }, undefined, 2) : describe(directory, written, kept)); // biome-ignore format: one line
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(`${directory} cannot be written (${reasonOf(error)}); name another folder.`);
  }
}

async function listFiles(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)))
    .toSorted();
}

function describe(directory: string, written: string[], kept: string[]): string {
  const quoted = /^[\w./-]+$/.test(directory) ? directory : `'${directory.replaceAll("'", `'\\''`)}'`;
  return [
    written.length > 0 ? `Wrote ${written.join(', ')} into ${directory}.` : `Nothing was missing in ${directory}.`,
    ...(kept.length > 0 ? [`Left as they were: ${kept.join(', ')}.`] : []),
    '',
    'Next:',
    `  FAULTLINE_HOME=${quoted} faultline serve`,
    '  faultline login                                           in another terminal, with the link that it prints',
    '  faultline workflow run hello.WORLD -p name=Ann --watch',
  ].join('\n');
}
