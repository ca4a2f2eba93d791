import { startChild } from '../../test/harness/child.ts';
import { createDatabase } from '../graph/postgres.ts';
import { dependencyVersion } from '../harness/versions.ts';
import { here, type System, startLoader } from './system.ts';

export async function startDbos(): Promise<System> {
  const database = await createDatabase();
  const app = await startChild({
    script: here('dbos-app.process.ts'),
    env: { DATABASE_URL: database.url },
    ready: /listening on (\d+)/,
  });
  const loader = await startLoader('dbos-load.process.ts', { APP_PORT: app.ready[1] });
  return {
    version: dependencyVersion('@dbos-inc/dbos-sdk'),
    run: loader.run,
    async stop() {
      await loader.stop();
      await app.kill();
      await database.drop();
    },
  };
}
