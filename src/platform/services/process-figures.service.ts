import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { ProcessFigures } from './process-lines.ts';

const resolutionMs = 50;

/** Reads the figures of this process. Everything is cheap: nobody should pay for being watched. */
export function createProcessFigures(deps: {
  version: string;
  databaseName: string;
  askDatabase: () => Promise<boolean>;
  readModelStats: () => { bytes: number; teams: unknown[]; queued: number[] };
  listReady: () => Promise<ProcessFigures['queues']>;
}): { read(): Promise<ProcessFigures>; stop(): void } {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  return {
    async read() {
      const startedAt = performance.now();
      const isThere = await deps.askDatabase();
      const answerMs = isThere ? performance.now() - startedAt : undefined;
      const { bytes, teams, queued } = deps.readModelStats();
      // It counts the time between two looks, of which so much was meant to pass. Each report is about the time since the last one.
      const eventLoopDelayMs = Math.max(0, delay.percentile(99) / 1e6 - resolutionMs);
      delay.reset();
      return {
        version: deps.version,
        database: { name: deps.databaseName, answerMs },
        readModel: { graphs: teams.length, bytes, waiting: queued.reduce((sum, count) => sum + count, 0) },
        queues: await deps.listReady(),
        eventLoopDelayMs,
        memoryBytes: process.memoryUsage.rss(),
        uptimeSeconds: process.uptime(),
      };
    },
    stop: () => void delay.disable(),
  };
}
