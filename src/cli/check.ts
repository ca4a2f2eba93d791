import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { badRequest, StartupError } from '../errors.ts';
import { print } from './output.ts';

export function addCheckCommand(program: Command): void {
  program
    .command('check')
    .description('check the settings, and the workflows, tasks, schemas and queues of a home')
    .argument('[home]', 'the folder with workflows.yml; FAULTLINE_HOME unless given')
    .option('--json', 'print JSON')
    .addHelpText('after', help)
    .action(checkHomeFolder);
}

const help = `
Prints each fault as file:line:column and a sentence, and exits with 1 if there is one. No task is run.

Example:
  faultline check examples/home`;

async function checkHomeFolder(given: string | undefined, options: { json?: boolean }): Promise<void> {
  const config = readConfig(process.env);
  const home = resolve(given ?? config.home);
  const folder = await stat(home).catch(() => undefined);
  if (!folder?.isDirectory()) throw new StartupError(`There is no folder ${home}.`);
  const { readHome, stampHome } = await import('../workflows/definitions/home-files.ts');
  const { checkHome } = await import('../workflows/definitions/home-check.ts');
  const { formatFault } = await import('../workflows/definitions/fault.ts');
  const { definitions, tasks, faults } = checkHome(await readHome(home, await stampHome(home)), Date.now());
  const workflows = [...definitions.keys()].toSorted();
  if (options.json) print(JSON.stringify({ home, workflows, tasks: tasks.toSorted(), faults }, undefined, 2));
  else for (const fault of faults) print(formatFault(fault));
  if (faults.length > 0) throw badRequest(`${count(faults.length, 'fault')} in ${home}.`);
  if (!options.json) print(`${count(workflows.length, 'workflow')}, ${count(tasks.length, 'task')}, no faults`);
}

const count = (many: number, what: string): string => `${many} ${what}${many === 1 ? '' : 's'}`;
