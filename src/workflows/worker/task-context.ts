import { format } from 'node:util';
import type { Json } from '../plan.ts';
import type { WorkerTask } from '../worker.schemas.ts';
import type { HostOutput } from './host-output.ts';

/** What a task function is called with (contract, "Tasks and remote workers"). */
export type TaskContext = {
  payload: WorkerTask['payload'];
  previous: Json;
  results: Record<string, Json>;
  instance: WorkerTask['instance'];
  task: { id: string; key: string; attempt: number };
  log: TaskLog;
  /** Aborts on cancel, time-out and shutdown. */
  signal: AbortSignal;
  progress(fraction: number): void;
  with?: Json;
  item?: Json;
  index?: number;
  hook?: WorkerTask['hook'];
};

export type TaskLog = ((...values: unknown[]) => void) &
  Record<'info' | 'warn' | 'error', (...values: unknown[]) => void>;

/** One run in this host. AsyncLocalStorage carries it, so that output and stray errors find their task. */
export type TaskRun = {
  run: number;
  task: WorkerTask;
  controller: AbortController;
  isSettled: boolean;
  lineCount: number;
};

const mostLines = 10_000;
const longestLine = 16_384;

export function createContext(taskRun: TaskRun, output: HostOutput): TaskContext {
  const { task, run, controller } = taskRun;
  const write =
    (prefix: string) =>
    (...values: unknown[]) =>
      addLines(taskRun, output, prefix + format(...values));
  const context: TaskContext = {
    payload: task.payload,
    previous: task.previous,
    results: task.results,
    instance: task.instance,
    task: { id: task.id, key: task.key, attempt: task.attempt },
    log: Object.assign(write(''), { info: write(''), warn: write('warn: '), error: write('error: ') }),
    signal: controller.signal,
    progress(fraction) {
      if (Number.isFinite(fraction) && !taskRun.isSettled) output.progress(run, Math.min(1, Math.max(0, fraction)));
    },
  };
  if (task.with !== undefined) context.with = task.with;
  if (task.item !== undefined) context.item = task.item;
  if (task.index !== undefined) context.index = task.index;
  if (task.hook !== undefined) context.hook = task.hook;
  return context;
}

/** Nothing is cut in silence: what is left out says so in its place. */
export function addLines(taskRun: TaskRun, output: HostOutput, text: string): void {
  if (taskRun.isSettled || taskRun.lineCount > mostLines) return;
  const lines = text.replace(/\n$/, '').split('\n').map(cutLine);
  const room = mostLines - taskRun.lineCount;
  taskRun.lineCount += lines.length;
  if (lines.length > room) {
    taskRun.lineCount = mostLines + 1;
    lines.splice(room, Infinity, `(the task wrote more than ${mostLines} lines; the rest is not kept)`);
  }
  output.lines(taskRun.run, lines);
}

const cutLine = (line: string): string =>
  line.length <= longestLine ? line : `${line.slice(0, longestLine)}… (${line.length - longestLine} more characters)`;
