import type { Command } from 'commander';
import { pino } from 'pino';
import { readConfig } from '../config.ts';
import { migrate } from '../db/migrate.ts';
import { openDatabase } from '../db/open.ts';

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('bring the database to the newest schema; `serve` does it too')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      const config = readConfig(process.env);
      const database = await openDatabase({
        databaseUrl: config.databaseUrl,
        dataDir: config.dataDir,
        log: pino({ level: 'warn' }),
      });
      try {
        const { applied, version } = await migrate(database);
        const text =
          applied.length > 0
            ? `Applied ${applied.join(', ')}; the schema is at version ${version}.`
            : `Nothing to do; the schema is at version ${version}.`;
        process.stdout.write(`${options.json ? JSON.stringify({ applied, version }) : text}\n`);
      } finally {
        await database.close();
      }
    });
}
