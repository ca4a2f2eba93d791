#!/usr/bin/env node
import { Command } from 'commander';
import { exitWith } from './cli/exit.ts';
import { addMigrateCommand } from './cli/migrate.ts';
import { addServeCommand } from './cli/serve.ts';
import { version } from './version.ts';

const program = new Command('faultline')
  .description('What depends on this, how well did it work, and who does something about it.')
  .version(version)
  .showHelpAfterError('(run the command with --help to see how it is used)')
  .configureHelp({ sortSubcommands: false })
  // Exit code 2 for a command that was not understood, as for settings that cannot be used.
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));

addServeCommand(program);
addMigrateCommand(program);

program.parseAsync().catch(exitWith);
