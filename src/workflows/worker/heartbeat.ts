import { version } from '../../version.ts';
import type { WorkerApi } from './worker-api.ts';
import type { WorkerLog } from './worker-log.ts';

const beatEveryMs = 15_000;
/** Short: at the end of the worker it is waited for. */
const patienceMs = 2000;

/**
 * The worker in the registry of services, so that people see it. Nothing depends on it: what fails is tried again with the next beat, and a
 * service that does not know the registry is served all the same.
 */
export function startHeartbeat(options: {
  api: WorkerApi;
  name: string;
  concurrency: number;
  queues: string[] | undefined;
  countTasks: () => number;
  hostPids: () => Array<number | undefined>;
  log: WorkerLog;
}): { stop(): void; leave(): Promise<void> } {
  const { api, name, concurrency, log } = options;
  let beating: Promise<void> | undefined;

  async function beat(): Promise<void> {
    const running = options.countTasks();
    const lines = [
      line('version', version),
      line('tasks', `${running} of ${concurrency}`),
      line('task hosts', options.hostPids().filter(Boolean).join(', ') || 'none'),
      line('queues', options.queues?.join(', ') ?? 'all'),
      line('uptime', `${Math.floor(process.uptime())} s`),
    ];
    const metadata = { concurrency, pid: process.pid };
    const body = JSON.stringify({ type: 'worker', name, version, metadata, monitoring_status: { lines } });
    const { status } = await api.post('/services/heartbeat', body, { patienceMs });
    if (status >= 300) log.debug({ status }, 'the service did not take a heartbeat');
  }

  function beatOnce(): void {
    beating ??= beat()
      .catch((error: unknown) => log.debug({ err: error }, 'a heartbeat did not arrive'))
      .finally(() => {
        beating = undefined;
      });
  }

  const timer = setInterval(beatOnce, beatEveryMs).unref();
  beatOnce();
  const stop = (): void => clearInterval(timer);
  return {
    stop,
    /** Says goodbye, so that nobody takes an orderly end for a death. */
    async leave() {
      stop();
      await beating;
      await api
        .delete(`/services/worker/${encodeURIComponent(name)}`, { patienceMs })
        .catch((error: unknown) => log.debug({ err: error }, 'the worker could not say goodbye'));
    },
  };
}

const line = (component: string, value: string) => ({ status: 'OK', component, value: value.slice(0, 2000) });
