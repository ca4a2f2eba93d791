import { Command } from 'commander';
import { version } from '../version.ts';
import { addBackupCommand } from './backup.ts';
import { addCheckCommand } from './check.ts';
import { addDemoCommand } from './demo.ts';
import { exitWith } from './exit.ts';
import { addExportCommand } from './export.ts';
import { addImpactCommand } from './impact.ts';
import { addImportCommand } from './import.ts';
import { addInitCommand } from './init.ts';
import { addLoginCommand } from './login.ts';
import { addMigrateCommand } from './migrate.ts';
import { addQosCommand } from './qos.ts';
import { addRestoreCommand } from './restore.ts';
import { addServeCommand } from './serve.ts';
import { addServiceCommand } from './service.ts';
import { addTeamCommand } from './team.ts';
import { addTokenCommand } from './token.ts';
import { addUserCommand } from './user.ts';
import { addWorkerCommand } from './worker.ts';
import { addWorkflowCommand } from './workflow.ts';

export function createProgram(): Command {
  const program = new Command('faultline')
    .description('What depends on this, how well did it work, and who does something about it.')
    .version(version)
    .showHelpAfterError('(run the command with --help to see how it is used)')
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'faultline: ')) })
    // Exit code 2 for a command that was not understood, as for settings that cannot be used.
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
    .addHelpText('after', help);
  for (const add of [
    addInitCommand,
    addServeCommand,
    addWorkerCommand,
    addMigrateCommand,
    addBackupCommand,
    addRestoreCommand,
    addCheckCommand,
    addLoginCommand,
    addTokenCommand,
    addUserCommand,
    addTeamCommand,
    addServiceCommand,
    addImportCommand,
    addExportCommand,
    addImpactCommand,
    addQosCommand,
    addWorkflowCommand,
    addDemoCommand,
  ]) {
    add(program);
  }
  return program;
}

const help = `
init writes files and check reads them; serve, migrate, backup and restore open the database themselves; the others talk to a
running server.
Exit codes: 0 done, 1 refused or failed, 2 could not begin (settings, address, usage).

Examples:
  faultline serve
  faultline login --url http://127.0.0.1:8080
  faultline token create --help`;

export async function run(): Promise<void> {
  // The reader of our output has gone, as in "faultline user list | head -1": that is no fault of ours.
  process.stdout.on('error', (error: NodeJS.ErrnoException) =>
    error.code === 'EPIPE' ? process.exit(0) : exitWith(error),
  );
  // If nothing is left to wait for before the command has come to its end, that is no success.
  process.exitCode = 1;
  await createProgram().parseAsync().catch(exitWith);
  process.exitCode = 0;
}
