import { relative } from 'node:path';
import { Pool } from 'pg';
import { StartupError } from '../errors.ts';
import { EmbeddedHost } from './embedded.ts';
import { lockDirectory } from './lock.ts';
import type { Log, OpenedPool } from './open.ts';
import { pgliteVersion, prepareDirectory } from './template.ts';
import { startVacuum } from './vacuum.ts';

export async function openEmbedded(settings: { dataDir: string; log: Log; poolSize: number }): Promise<OpenedPool> {
  const { dataDir, log, poolSize } = settings;
  const lock = await lockDirectory(dataDir);
  try {
    const { directory, template, finish } = await prepareDirectory(dataDir);
    const host = new EmbeddedHost({ directory, template });
    await host.start().catch((error: unknown) => {
      throw new StartupError(
        `The embedded database in ${relative('', dataDir) || dataDir} does not start (${error instanceof Error ? error.message : String(error)}).`,
        { cause: error },
      );
    });
    await finish();
    // Clients cost nothing here, so they are kept: idleTimeoutMillis 0.
    const pool = new Pool({ stream: host.createStream, ssl: false, max: poolSize, idleTimeoutMillis: 0 });
    pool.on('error', (error) => log.error({ err: error }, 'embedded database stopped'));
    const vacuum = startVacuum({ pool, isBusy: () => !host.isIdle, log });
    return {
      kind: 'embedded',
      pool,
      describe: () => `PGlite ${pgliteVersion} (PostgreSQL ${host.serverVersion.split(' ')[0]})`,
      closeBehindPool: async () => {
        vacuum.stop();
        await host.close();
        await lock.release();
      },
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}
