import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Child, startChild } from '../../test/harness/child.ts';
import { type Service, startService } from '../../test/harness/service.ts';
import { createDatabase } from '../graph/postgres.ts';
import { concurrency, here, type System, startLoader, stopAll } from './system.ts';

export type DatabaseShape = 'PostgreSQL' | 'embedded';
export type FaultlineService = {
  service: Service;
  databaseUrl: string | undefined;
  /** Those that are processes beside the service. */
  workers: { name: string; child: Child }[];
  stop(): Promise<void>;
};

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
/** For the service and, through it, for the worker that it forks; for workers of their own too. */
const settings = { FAULTLINE_HOME: here('home'), FAULTLINE_WORKER_CONCURRENCY: String(concurrency) };

/** No worker: tasks wait. One worker is the one that `serve` forks; more are processes of their own beside a service that runs no tasks. */
export async function startFaultlineService(options: {
  shape: DatabaseShape;
  workers: number;
}): Promise<FaultlineService> {
  const directory = await mkdtemp(join(tmpdir(), 'faultline-bench-'));
  const database = options.shape === 'PostgreSQL' ? await createDatabase() : undefined;
  const role = options.workers === 1 ? 'all' : 'api';
  const service = await startService({
    dataDir: join(directory, 'data'),
    databaseUrl: database?.url,
    env: { ...settings, FAULTLINE_ROLE: role },
  });
  const count = role === 'all' ? 0 : options.workers;
  const workers = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const name = `bench:${index}`;
      return { name, child: await startWorker(service, name) };
    }),
  );
  return {
    service,
    databaseUrl: database?.url,
    workers,
    async stop() {
      await stopAll(workers.map(({ child }) => child));
      await service.stop();
      await database?.drop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

const startWorker = (service: Service, name: string): Promise<Child> =>
  startChild({
    script: main,
    args: ['worker'],
    env: {
      ...settings,
      FAULTLINE_URL: service.url,
      FAULTLINE_TOKEN: service.adminToken,
      FAULTLINE_WORKER_NAME: name,
      FAULTLINE_LOG: 'info',
    },
    ready: /tasks loaded/,
  });

export async function startFaultline(options: { shape: DatabaseShape; workers: number }): Promise<System> {
  const { service, stop } = await startFaultlineService(options);
  const loader = await startLoader('faultline-load.process.ts', { URL: service.url, TOKEN: service.adminToken });
  return {
    version: service.database,
    run: loader.run,
    async stop() {
      await loader.stop();
      await stop();
    },
  };
}
