import { Worker } from 'node:worker_threads';
import type { DependencyTable } from '../graph/graph.service.ts';
import type { Figures } from './figures.ts';
import { buffersOf, type RollUpQuery } from './roll-up.ts';

export type ToRollUp = { job: number; table: DependencyTable; figures: Figures; query: RollUpQuery };
export type FromRollUp = { job: number; figures: Figures } | { job: number; message: string };

export type RollUpThread = {
  /** As `rollUp`, elsewhere. Table and figures are given away: their arrays are empty afterwards. */
  rollUp(table: DependencyTable, figures: Figures, query: RollUpQuery): Promise<Figures>;
  close(): Promise<void>;
};

type Waiting = { resolve: (figures: Figures) => void; reject: (error: Error) => void };

/** An idle thread collects no garbage, and a run is over for a day: it ends, and the next one starts another. */
const IDLE_MS = 5000;

export function createRollUpThread({ idleMs = IDLE_MS }: { idleMs?: number } = {}): RollUpThread {
  const waiting = new Map<number, Waiting>();
  let nextJob = 1;
  let isClosed = false;
  let worker: Worker | undefined;
  let rest: NodeJS.Timeout | undefined;

  function start(): Worker {
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    const started = new Worker(new URL(`roll-up-worker.${extension}`, import.meta.url), { execArgv: [] });
    started.unref();
    let cause = 'it exited';
    started.on('message', receive);
    started.on('error', (error) => {
      cause = error instanceof Error ? error.message : String(error);
    });
    started.on('exit', () => {
      if (worker !== started) return;
      worker = undefined;
      for (const { reject } of waiting.values())
        reject(new Error(`the thread that computes figures stopped: ${cause}`));
      waiting.clear();
    });
    return started;
  }

  function receive(message: FromRollUp): void {
    const waits = waiting.get(message.job);
    waiting.delete(message.job);
    if ('figures' in message) waits?.resolve(message.figures);
    else waits?.reject(new Error(message.message));
    if (waiting.size > 0) return;
    rest = setTimeout(() => void stop(), idleMs);
    rest.unref();
  }

  async function stop(): Promise<void> {
    const idle = worker;
    worker = undefined;
    await idle?.terminate();
  }

  return {
    rollUp(table, figures, query) {
      return new Promise((resolve, reject) => {
        if (isClosed) return reject(new Error('the thread that computes figures is closed'));
        clearTimeout(rest);
        worker ??= start();
        const job = nextJob++;
        waiting.set(job, { resolve, reject });
        const { names: _unused, ...arrays } = table;
        const message: ToRollUp = { job, table: { ...arrays, names: [] }, figures, query };
        worker.postMessage(message, [...new Set([...buffersOf(arrays), ...buffersOf(figures)])]);
      });
    },
    async close() {
      isClosed = true;
      clearTimeout(rest);
      for (const { reject } of waiting.values()) reject(new Error('the thread that computes figures is closed'));
      waiting.clear();
      await stop();
    },
  };
}
