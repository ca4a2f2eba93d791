import type { Command } from 'commander';
import { readWorkerConfig, type WorkerFlags } from '../worker-config.ts';
import { authorize, ServerRefusal } from './client.ts';

export function addWorkerCommand(program: Command): void {
  program
    .command('worker')
    .description('run tasks for a service, on this or any other machine')
    .option('--url <address>', 'the server (FAULTLINE_URL, else the one of "faultline login")')
    .option('--token <token>', 'a token with the scope Service (FAULTLINE_TOKEN)')
    .option('--home <folder>', 'where tasks/ lies (FAULTLINE_HOME)')
    .option('--name <name>', 'unique among the workers of a server (FAULTLINE_WORKER_NAME; host:pid)')
    .option('--concurrency <number>', 'how many tasks at once (FAULTLINE_WORKER_CONCURRENCY; 100)')
    .option('--queues <names>', 'only tasks of these queues, separated by commas (FAULTLINE_WORKER_QUEUES)')
    .option('--tasks <names>', 'only these tasks, separated by commas (FAULTLINE_WORKER_TASKS)')
    .option('--allow-shell', 'offer the task "shell" (FAULTLINE_ALLOW_SHELL)')
    .addHelpText('after', help)
    .action(work);
}

export async function work(flags: WorkerFlags): Promise<void> {
  const config = readWorkerConfig(process.env, flags);
  authorize(config.server);
  const [{ runWorker, WorkerRefused }, { pino }] = await Promise.all([
    import('../workflows/worker/run-worker.ts'),
    import('pino'),
  ]);
  const log = pino({ level: config.logLevel, base: undefined });
  const { server, logLevel: _, ...options } = config;
  const worker = runWorker({ ...options, url: server.url, token: server.token ?? '', log });
  log.info({ url: server.url, name: config.name, concurrency: config.concurrency }, 'worker started');
  stopWhenTold(worker.stop);
  await worker.ended.catch((error: unknown) => {
    throw error instanceof WorkerRefused ? new ServerRefusal(error.message) : error;
  });
  process.exit(0);
}

/** By signal (the second one ends it at once), or by the service that forked this process: its word, or its end. */
function stopWhenTold(stop: () => Promise<void>): void {
  let signals = 0;
  const onSignal = (): void => {
    signals++;
    if (signals > 1) process.exit(1);
    void stop();
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  if (!process.send) return;
  process.on('message', (message) => {
    if (message === 'stop') void stop();
  });
  process.on('disconnect', () => void stop());
}

const help = `
More settings (environment):
  FAULTLINE_OUTBOUND_ALLOW    addresses and ranges that the task "http" may reach although they are not public
  FAULTLINE_WORKER_MEMORY     megabytes of heap for a process of tasks (1024)
  FAULTLINE_WORKER_GRACE      seconds that running tasks get at SIGTERM before they are handed back (10)
  FAULTLINE_LOG               fatal, error, warn, info, debug, trace or silent (info)

Examples:
  faultline worker --url https://faultline.example --home ./home
  FAULTLINE_TOKEN=… faultline worker --queues video,mail --concurrency 20`;
