/**
 * A task host: a process of its own in which task code runs, many tasks at once. It has no token and no connection to the
 * service; the worker that forked it starts it anew when a task ends it.
 */
import { Worker } from 'node:worker_threads';
import type { FromHost, HostSetup, ToHost } from './host-messages.ts';
import { createHostOutput } from './host-output.ts';
import { catchStrays } from './stray-errors.ts';
import { createTaskRunner } from './task-runner.ts';

// The terminal's Ctrl-C reaches every process; when to end is the worker's decision alone.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);

const exit = process.exit.bind(process);
const send = (message: FromHost): void => {
  process.send?.(message);
};

process.once('message', (message: ToHost) => {
  if (message.type === 'setup') void begin(message.setup);
});

async function begin(setup: HostSetup): Promise<void> {
  endWithWorker(setup.workerPid);
  const output = createHostOutput(send, setup.isAlone);
  const runner = createTaskRunner(setup, output, send);
  catchStrays({
    home: setup.home,
    output,
    settle: runner.settle,
    die(reason) {
      output.flush();
      send({ type: 'dying', reason });
      runner.endGroups();
      // The channel is a pipe: it is written when this returns, also if the process then ends.
      exit(70);
    },
  });
  process.on('disconnect', () => {
    runner.endGroups();
    exit(0);
  });
  process.on('message', (message: ToHost) => {
    if (message.type === 'run') runner.start(message.runs);
    else if (message.type === 'abort') runner.abort(message);
    else if (message.type === 'ping') send({ type: 'pong' });
  });
  await runner.load();
}

/** An endless loop never hears that the worker is gone; a thread beside it does. */
function endWithWorker(workerPid: number): void {
  const watch = `setInterval(() => { if (process.ppid !== ${workerPid}) process.kill(process.pid, 'SIGKILL'); }, 1000);`;
  new Worker(watch, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 16 }, execArgv: [] }).unref();
}
