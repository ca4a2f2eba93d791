import type { FromHost, HostSetup, NumberedTask, TaskError, ToHost } from './host-messages.ts';
import type { HostOutput } from './host-output.ts';
import { runHttp } from './http-task.ts';
import { loadTasks, type TaskTable } from './load-tasks.ts';
import { createOutboundGuard } from './outbound.ts';
import { endGroup, runShell } from './shell-task.ts';
import { currentRun } from './stray-errors.ts';
import { createContext, type TaskContext, type TaskRun } from './task-context.ts';
import { describeError, TaskFailure } from './task-failure.ts';

type Outcome = { result: string } | { error: TaskError; retryable: boolean };

/** After this long without a look at the channel, starting tasks pauses for one: pings want an answer. */
const yieldAfterMs = 20;

/** Runs tasks in this process. */
export function createTaskRunner(setup: HostSetup, output: HostOutput, send: (message: FromHost) => void) {
  const { home } = setup;
  const guard = createOutboundGuard(setup.outboundAllow);
  const runs = new Map<number, TaskRun>();
  const groups = new Set<number>();
  let table: TaskTable | undefined;
  let waiting: NumberedTask[] = [];
  let isStarting = false;

  const groupEvents = {
    began(pid: number) {
      groups.add(pid);
      send({ type: 'group', pid, isAlive: true });
    },
    ended(pid: number) {
      groups.delete(pid);
      send({ type: 'group', pid, isAlive: false });
    },
  };

  async function load(): Promise<void> {
    const { table: loaded, loaded: description } = await loadTasks(setup, (file) => send({ type: 'importing', file }));
    loaded.set('http', { run: (context) => runHttp(context as TaskContext, guard) });
    if (setup.allowShell)
      loaded.set('shell', { run: (context) => runShell(context as TaskContext, home, groupEvents) });
    // Said before the first task begins: what ends the process from here on is not the import of a file.
    send({ type: 'ready', tasks: description });
    table = loaded;
    startWaiting();
  }

  function start(more: NumberedTask[]): void {
    waiting.push(...more);
    if (!isStarting) startWaiting();
  }

  function startWaiting(): void {
    if (!table) return;
    isStarting = true;
    const begunAt = performance.now();
    const batch = waiting;
    waiting = [];
    for (const [index, { run, task }] of batch.entries()) {
      if (performance.now() - begunAt > yieldAfterMs) {
        waiting = [...batch.slice(index), ...waiting];
        setImmediate(startWaiting);
        return;
      }
      const taskRun: TaskRun = { run, task, controller: new AbortController(), isSettled: false, lineCount: 0 };
      runs.set(run, taskRun);
      currentRun.run(taskRun, () => void execute(taskRun, table as TaskTable));
    }
    isStarting = false;
  }

  async function execute(taskRun: TaskRun, tasks: TaskTable): Promise<void> {
    try {
      const found = tasks.get(taskRun.task.run);
      if (!found) throw new TaskFailure(`This worker has no task ${taskRun.task.run}.`, true);
      if ('fault' in found) throw new TaskFailure(found.fault, true);
      const value = await found.run(createContext(taskRun, output));
      settle(taskRun, { result: toJson(value) });
    } catch (error) {
      settle(taskRun, describeError(error, home));
    }
  }

  /** The first word about a run counts. */
  function settle(taskRun: TaskRun, outcome: Outcome): void {
    if (taskRun.isSettled) return;
    taskRun.isSettled = true;
    runs.delete(taskRun.run);
    output.done({ run: taskRun.run, ...outcome });
  }

  function abort({ run, reason, message }: Extract<ToHost, { type: 'abort' }>): void {
    const taskRun = runs.get(run);
    const name = reason === 'timeout' ? 'TimeoutError' : 'AbortError';
    if (taskRun) return currentRun.run(taskRun, () => taskRun.controller.abort(new DOMException(message, name)));
    // Not begun yet, so it never is.
    const index = waiting.findIndex((one) => one.run === run);
    if (index === -1) return;
    waiting.splice(index, 1);
    output.done({ run, error: { message }, retryable: true });
  }

  return { load, start, abort, settle, endGroups: () => groups.forEach((pid) => endGroup(pid, 'SIGKILL')) };
}

function toJson(value: unknown): string {
  if (value === undefined) return 'null';
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    throw new TaskFailure(`the task returned something that is not JSON: ${reason}`, false);
  }
  if (text === undefined) throw new TaskFailure(`the task returned a ${typeof value}, which is not JSON`, false);
  return text;
}
