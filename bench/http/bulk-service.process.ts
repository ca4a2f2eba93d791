/**
 * The service, and beside it in the same process a load that no client could make over HTTP: rows in bulk, straight into the embedded
 * database, from the message `start` to the message `stop`. What is measured is whether the event loop stays free meanwhile.
 */
import { once } from 'node:events';
import { pino } from 'pino';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open.ts';

const rowsPerStatement = 1000;
const config = readConfig(process.env);
const log = pino({ level: config.logLevel, base: undefined });
const database = await openDatabase({ databaseUrl: config.databaseUrl, dataDir: config.dataDir, log });
await migrate(database);
const app = await createApp({ config, database, log });
const address = await app.server.listen({ host: config.host, port: config.port });
let stop = new AbortController();

process.on('message', (message) => {
  stop.abort();
  if (message !== 'start') return;
  stop = new AbortController();
  void load(stop.signal);
});
process.stdout.write(`Faultline is ready at ${address} on ${database.describe()}.\n`);
await once(process, 'SIGTERM');
await app.close();
await database.close();
process.exit(0);

async function load(signal: AbortSignal): Promise<void> {
  const startedAt = performance.now();
  let rows = 0;
  const titles = Array.from({ length: rowsPerStatement }, (_, index) => `Bulk ${index}`);
  const messages = titles.map((title) => `${title}: ${'what happened, in a few words. '.repeat(5)}`);
  while (!signal.aborted) {
    await database.pool.query(
      'insert into news (title, message) select * from unnest($1::text[], $2::text[]) as t (title, message)',
      [titles, messages],
    );
    rows += rowsPerStatement;
  }
  process.send?.({ rowsPerSecond: (rows * 1000) / (performance.now() - startedAt) });
}
