import { type ChildProcess, fork } from 'node:child_process';
import { taskEnvironment } from '../../config.ts';
import type { WorkerLog } from './worker-log.ts';

export type ForkedWorker = {
  pid(): number | undefined;
  /** Lets it finish or hand back its tasks. */
  stop(): Promise<void>;
};

const program = new URL(`../../main${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
const firstPauseMs = 500;
const longestPauseMs = 30_000;
/** One that ran for this long was healthy: its end is a new misfortune, not the last one again. */
const healthyMs = 60_000;

/** The worker of the role `all`: a process of its own, started again when it ends. Its token goes by environment, never by argument. */
export function forkWorker(options: {
  url: string;
  token: string;
  home: string;
  name?: string;
  /** Other settings, as environment variables (`FAULTLINE_WORKER_CONCURRENCY`, …). */
  settings?: Record<string, string>;
  log: WorkerLog;
  stopWithinMs?: number;
}): ForkedWorker {
  const { log } = options;
  let child: ChildProcess | undefined;
  let timer: NodeJS.Timeout | undefined;
  let failures = 0;
  let isStopping = false;

  function start(): void {
    const startedAt = performance.now();
    const env = {
      ...taskEnvironment(),
      FAULTLINE_URL: options.url,
      FAULTLINE_TOKEN: options.token,
      FAULTLINE_HOME: options.home,
      ...(options.name === undefined ? {} : { FAULTLINE_WORKER_NAME: options.name }),
      ...options.settings,
    };
    const mine = fork(program, ['worker'], { env, execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    child = mine;
    mine.once('error', (error) => log.error({ err: error }, 'the worker cannot be started'));
    mine.once('exit', (code, signal) => {
      child = undefined;
      if (isStopping) return;
      failures = performance.now() - startedAt > healthyMs ? 1 : failures + 1;
      const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - 1));
      log.error({ code, signal, pauseMs }, 'the worker ended; it is started again');
      timer = setTimeout(start, pauseMs);
    });
  }
  start();

  return {
    pid: () => child?.pid,
    async stop() {
      isStopping = true;
      clearTimeout(timer);
      const mine = child;
      if (!mine) return;
      const exited = new Promise<void>((resolve) => mine.once('exit', () => resolve()));
      if (mine.connected) mine.send('stop', () => undefined);
      const impatience = setTimeout(() => mine.kill('SIGKILL'), options.stopWithinMs ?? 20_000);
      await exited;
      clearTimeout(impatience);
    },
  };
}
