import type { Command } from 'commander';
import { openForCommand } from './database.ts';
import { print } from './output.ts';

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('bring the database to the newest schema; `serve` does it too')
    .option('--json', 'print JSON')
    .addHelpText('after', help)
    .action(migrateDatabase);
}

const help = `
The settings of "faultline serve" say where the database is.

Example:
  DATABASE_URL=postgres://… faultline migrate`;

async function migrateDatabase(options: { json?: boolean }): Promise<void> {
  const database = await openForCommand();
  try {
    const { migrate } = await import('../db/migrate.ts');
    const { applied, version } = await migrate(database);
    const text =
      applied.length > 0
        ? `Applied ${applied.join(', ')}; the schema is at version ${version}.`
        : `Nothing to do; the schema is at version ${version}.`;
    print(options.json ? JSON.stringify({ applied, version }) : text);
  } finally {
    await database.close();
  }
}
