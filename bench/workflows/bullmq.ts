import { startChild } from '../../test/harness/child.ts';
import { dependencyVersion } from '../harness/versions.ts';
import { type Fsync, startRedis } from './redis.ts';
import { here, type System, startLoader, stopAll } from './system.ts';

export async function startBullmq(options: { fsync: Fsync; workers: number }): Promise<System> {
  const redis = await startRedis(options.fsync);
  const env = { REDIS_PORT: String(redis.port) };
  const script = here('bullmq-worker.process.ts');
  const workers = await Promise.all(
    Array.from({ length: options.workers }, () => startChild({ script, env, ready: /working/ })),
  );
  const loader = await startLoader('bullmq-load.process.ts', env);
  return {
    version: `${dependencyVersion('bullmq')} on ${redis.version}`,
    run: loader.run,
    async stop() {
      await loader.stop();
      await stopAll(workers);
      await redis.stop();
    },
  };
}
