import { startChild } from '../../test/harness/child.ts';
import { createDatabase } from '../graph/postgres.ts';
import { dependencyVersion } from '../harness/versions.ts';
import { here, type System, startLoader } from './system.ts';

export async function startPgBoss(): Promise<System> {
  const database = await createDatabase();
  const env = { DATABASE_URL: database.url };
  const worker = await startChild({ script: here('pg-boss-worker.process.ts'), env, ready: /working/ });
  const loader = await startLoader('pg-boss-load.process.ts', env);
  return {
    version: dependencyVersion('pg-boss'),
    run: loader.run,
    async stop() {
      await loader.stop();
      await worker.kill();
      await database.drop();
    },
  };
}
