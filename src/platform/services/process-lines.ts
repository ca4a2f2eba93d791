import type { Health } from './service-state.ts';
import type { GivenLine } from './services.schemas.ts';

export type ProcessFigures = {
  version: string;
  /** What it is, and how long it took to answer; undefined if it did not. */
  database: { name: string; answerMs: number | undefined };
  readModel: { graphs: number; bytes: number; waiting: number };
  queues: { queue: string; ready: number; isMore: boolean }[];
  eventLoopDelayMs: number;
  memoryBytes: number;
  uptimeSeconds: number;
};

/** There may be thousands of queues; a record takes a hundred lines. */
const mostQueues = 50;

/** What a process says about itself, and what of it should worry somebody. */
export function processLines(figures: ProcessFigures): GivenLine[] {
  const { database, readModel, queues, eventLoopDelayMs: delayMs } = figures;
  const deepest = queues.toSorted((a, b) => b.ready - a.ready);
  return [
    line('version', figures.version),
    database.answerMs === undefined
      ? line('database', `${database.name}, no answer`, 'AL')
      : line('database', `${database.name}, ${round(database.answerMs)} ms`, database.answerMs > 1000 ? 'WARN' : 'OK'),
    line(
      'read model',
      `${readModel.graphs} graphs, ${megabytes(readModel.bytes)}, ${readModel.waiting} questions wait`,
    ),
    ...deepest
      .slice(0, mostQueues)
      .map(({ queue, ready, isMore }) =>
        line(`queue ${queue}`, `${isMore ? 'more than ' : ''}${ready} ready`, isMore ? 'WARN' : 'OK'),
      ),
    ...(deepest.length > mostQueues ? [line('queues', `${deepest.length - mostQueues} more`)] : []),
    ...(deepest.length === 0 ? [line('queues', '0 ready')] : []),
    line('event loop delay p99', `${round(delayMs)} ms`, delayMs > 1000 ? 'AL' : delayMs > 100 ? 'WARN' : 'OK'),
    line('memory', megabytes(figures.memoryBytes)),
    line('uptime', `${Math.floor(figures.uptimeSeconds)} s`),
  ];
}

const line = (component: string, value: string, status: Health = 'OK'): GivenLine => ({ status, component, value });
const round = (value: number): string => value.toFixed(value < 10 ? 1 : 0);
const megabytes = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MB`;
