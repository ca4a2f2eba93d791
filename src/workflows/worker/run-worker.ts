import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../clock.ts';
import { workerBuiltIns } from '../plan.ts';
import { type Assignments, createAssignments } from './assignments.ts';
import { createConversation, WorkerRefused } from './conversation.ts';
import { startHeartbeat } from './heartbeat.ts';
import type { LoadedTasks } from './host-messages.ts';
import { createOutbox } from './outbox.ts';
import { createTaskHosts } from './task-hosts.ts';
import { createWorkerApi } from './worker-api.ts';
import type { WorkerLog } from './worker-log.ts';

export { WorkerRefused };

export type WorkerOptions = {
  url: string;
  token: string;
  /** The folder that holds `tasks/`. */
  home: string;
  /** Unique among the workers of a service, such as host:pid. */
  name: string;
  /** How many tasks at once. */
  concurrency: number;
  queues?: string[];
  /** Only these of the tasks that it has. */
  tasks?: string[];
  log: WorkerLog;
  allowShell: boolean;
  /** Addresses and ranges that the task `http` may reach although they are not public. */
  outboundAllow: string[];
  memoryMb?: number;
  /** How long a host with several tasks may be silent. */
  stallSeconds?: number;
  /** How long running tasks get at shutdown. */
  graceSeconds?: number;
  /** How long a task gets after its time-out or cancel. */
  abandonSeconds?: number;
  waitSeconds?: number;
  refreshSeconds?: number;
  clock?: Clock;
  random?: () => number;
};

export type RunningWorker = {
  /** Finishes or hands back what is running, then ends the hosts. */
  stop(): Promise<void>;
  /** Resolves after `stop`; rejects when the service refuses the worker. */
  ended: Promise<void>;
  hostPids(): Array<number | undefined>;
};

const tickMs = 100;
const lastReportsMs = 5000;
/** The service takes 1 MiB; the rest is for what surrounds the entries. */
const reportBytes = 1_000_000;

/** The supervisor: speaks to the service, and has task code run in processes of its own. It runs no task code itself. */
export function runWorker(options: WorkerOptions): RunningWorker {
  const { log, graceSeconds = 10 } = options;
  const clock = options.clock ?? (() => performance.now());
  const outbox = createOutbox(reportBytes);
  const assignments: Assignments = createAssignments({
    hosts: () => hosts,
    outbox,
    log,
    clock,
    abandonMs: (options.abandonSeconds ?? 2) * 1000,
  });
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  // Whoever asks for the outcome sees it; nobody has to.
  ended.catch(() => undefined);
  const api = createWorkerApi(options.url, options.token);
  const conversation = createConversation({
    api,
    worker: options.name,
    queues: options.queues,
    concurrency: options.concurrency,
    waitSeconds: options.waitSeconds ?? 30,
    outbox,
    assignments,
    log,
    clock,
    random: options.random ?? Math.random,
    onRefused: (error: WorkerRefused) => {
      close();
      reject(error);
    },
  });
  const hosts = createTaskHosts(
    {
      home: options.home,
      allowShell: options.allowShell,
      outboundAllow: options.outboundAllow,
      memoryMb: options.memoryMb ?? 1024,
      stallSeconds: options.stallSeconds ?? 5,
    },
    {
      onDone(done) {
        assignments.onDone(done);
        conversation.pump();
      },
      onLines: assignments.onLines,
      onProgress: assignments.onProgress,
      mayRunAgain: assignments.mayRunAgain,
      onBegin: assignments.onBegin,
      onTasks: (loaded) => conversation.offer(offeredBy(loaded)),
    },
    log,
  );

  function offeredBy(loaded: LoadedTasks): string[] {
    for (const { file, fault } of loaded.files) if (fault) log.error({ file, fault }, 'a task file cannot be used');
    const builtIns = workerBuiltIns.filter((name) => name !== 'shell' || options.allowShell);
    const names = new Set([...loaded.files.flatMap((file) => file.names), ...builtIns]);
    const offered = [...names].filter((name) => options.tasks?.includes(name) ?? true).toSorted();
    log.info({ tasks: offered.length, files: loaded.files.length }, 'tasks loaded');
    return offered;
  }

  let tickedAt = clock();
  const ticker = setInterval(() => {
    const now = clock();
    hosts.tick(Math.min(now - tickedAt, 2 * tickMs));
    tickedAt = now;
    assignments.checkTime();
    conversation.pump();
  }, tickMs);
  const refresh = (): Promise<void> =>
    hosts.refresh().catch((error: unknown) => log.error({ err: error }, 'the task files cannot be read'));
  const refresher = setInterval(() => void refresh(), (options.refreshSeconds ?? 1) * 1000);
  void refresh();

  const heartbeat = startHeartbeat({
    api,
    name: options.name,
    concurrency: options.concurrency,
    queues: options.queues,
    countTasks: assignments.count,
    hostPids: hosts.pids,
    log,
  });

  function close(): void {
    heartbeat.stop();
    clearInterval(ticker);
    clearInterval(refresher);
    conversation.close();
    hosts.close();
  }

  async function finish(): Promise<void> {
    log.info({ tasks: assignments.count() }, 'worker stopping');
    clearInterval(refresher);
    conversation.stopClaiming();
    assignments.shutdown();
    await until(() => assignments.count() === 0, graceSeconds * 1000);
    assignments.releaseAll();
    conversation.pump();
    const isSaid = await until(conversation.isIdle, lastReportsMs);
    if (isSaid) await heartbeat.leave();
    else log.warn({}, 'the service did not take the last reports; its leases will run out');
    close();
    resolve();
  }

  async function until(isTrue: () => boolean, patienceMs: number): Promise<boolean> {
    const deadline = clock() + patienceMs;
    while (!isTrue() && clock() < deadline) await sleep(10);
    return isTrue();
  }

  let stopping: Promise<void> | undefined;
  return {
    stop: () => (stopping ??= finish()),
    ended,
    hostPids: hosts.pids,
  };
}
