/** `npm run openapi`: writes the interface, as the running service describes it, to docs/openapi.json. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { createApp } from '../src/app.ts';
import { type Config, readConfig } from '../src/config.ts';
import { migrate } from '../src/db/migrate.ts';
import { openDatabase } from '../src/db/open.ts';

export const openApiFile = new URL('../docs/openapi.json', import.meta.url);

/** With everything turned on that has routes of its own; nothing of this is contacted. */
export const everythingOn: Config = {
  ...readConfig({}),
  publicUrl: 'http://faultline.test',
  oidc: { issuer: 'http://provider.test', clientId: 'faultline', clientSecret: undefined },
};

/** One line per fact, so that a change of the interface shows in review. */
export const formatDocument = (document: unknown): string => `${JSON.stringify(document, null, 2)}\n`;

if (import.meta.main) {
  const directory = await mkdtemp(join(tmpdir(), 'faultline-openapi-'));
  const log = pino({ level: 'silent' });
  const database = await openDatabase({ dataDir: join(directory, 'data'), log });
  await migrate(database);
  const app = await createApp({ config: everythingOn, database, log });
  await app.server.ready();
  await writeFile(openApiFile, formatDocument(app.server.swagger()));
  await app.close();
  await database.close();
  await rm(directory, { recursive: true });
}
