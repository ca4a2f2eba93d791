import type { WorkerTask } from '../worker.schemas.ts';

/**
 * What the worker and its task hosts say to each other.
 *
 *   worker ── setup, run, abort, ping ──▶ host
 *   worker ◀── importing, ready, batch, pong, group, dying ── host
 *
 * A run is one execution of a task in one host. Its number is never used again, so that a late word about an abandoned run
 * cannot be mistaken for one about its successor.
 */
export type ToHost =
  | { type: 'setup'; setup: HostSetup }
  | { type: 'run'; runs: NumberedTask[] }
  | { type: 'abort'; run: number; reason: AbortReason; message: string }
  | { type: 'ping' };

export type FromHost =
  /** Sent before each file, so that one that ends the process at import is known by name. */
  | { type: 'importing'; file: string }
  | { type: 'ready'; tasks: LoadedTasks }
  | { type: 'batch'; done: Done[]; logs: RunLines[]; progress: RunProgress[] }
  | { type: 'pong' }
  /** A process group that a task began or that ended; the worker ends those that a dead host leaves. */
  | { type: 'group'; pid: number; isAlive: boolean }
  | { type: 'dying'; reason: string };

export type NumberedTask = { run: number; task: WorkerTask };
export type AbortReason = 'timeout' | 'canceled' | 'shutdown' | 'lost';

export type HostSetup = {
  home: string;
  /** Relative to the home. */
  files: string[];
  /** Files that ended a host before; they are not tried again until they change. */
  broken: BrokenFile[];
  /** What each file offered when it last could be imported. */
  known: Record<string, string[]>;
  allowShell: boolean;
  outboundAllow: string[];
  /** Nothing runs beside its task: what it logs is sent at once, so that a crash does not swallow it. */
  isAlone: boolean;
  workerPid: number;
};

export type BrokenFile = { file: string; message: string };
/** Which file offers which tasks, and what is wrong with some of them. */
export type LoadedTasks = { files: Array<{ file: string; names: string[]; fault?: string }> };

export type TaskError = { message: string; stack?: string };
/** `result` is JSON text: it goes into the report as it is. */
export type Done = { run: number; result: string } | { run: number; error: TaskError; retryable: boolean };
export type RunLines = { run: number; lines: string[] };
export type RunProgress = { run: number; fraction: number };
