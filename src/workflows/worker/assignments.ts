import type { Clock } from '../../clock.ts';
import type { WorkerTask } from '../worker.schemas.ts';
import type { AbortReason, Done, NumberedTask, RunLines, RunProgress } from './host-messages.ts';
import type { Outbox } from './outbox.ts';
import type { TaskHosts } from './task-hosts.ts';
import type { WorkerLog } from './worker-log.ts';

type Assignment = {
  run: number;
  task: WorkerTask;
  deadline: number;
  ending: { reason: AbortReason; message: string; giveUpAt: number } | undefined;
  progress: number | undefined;
  isProgressNew: boolean;
};

export type Assignments = ReturnType<typeof createAssignments>;
type Hosts = Pick<TaskHosts, 'start' | 'abort' | 'giveUp'>;

/** The tasks that the service believes to be running here, each with its one run, and what becomes of them. */
export function createAssignments(options: {
  hosts: () => Hosts;
  outbox: Outbox;
  log: WorkerLog;
  clock: Clock;
  /** How long a task may go on after its signal aborted. */
  abandonMs: number;
}) {
  const { outbox, log, clock } = options;
  const byId = new Map<string, Assignment>();
  const byRun = new Map<number, Assignment>();
  let lastRun = 0;

  function accept(tasks: WorkerTask[]): void {
    const runs: NumberedTask[] = [];
    for (const task of tasks) {
      const former = byId.get(task.id);
      if (former?.task.attempt === task.attempt) continue;
      // Its lease ran out and it came back to us: the older attempt is nobody's any more.
      if (former) lose(task.id);
      const run = ++lastRun;
      const assignment = {
        run,
        task,
        deadline: deadlineOf(task),
        ending: undefined,
        progress: undefined,
        isProgressNew: false,
      };
      byId.set(task.id, assignment);
      byRun.set(run, assignment);
      runs.push({ run, task });
    }
    if (runs.length > 0) options.hosts().start(runs);
  }

  function forget({ run, task }: Assignment): void {
    byRun.delete(run);
    byId.delete(task.id);
  }

  function onDone(done: Done[]): void {
    for (const one of done) {
      const assignment = byRun.get(one.run);
      if (!assignment) continue;
      forget(assignment);
      const { task, ending } = assignment;
      if ('result' in one) outbox.complete(task, one.result);
      else if (ending === undefined) outbox.fail(task, one.error, one.retryable);
      // What a task throws once it was told to stop is an echo of that, not a fault of its own.
      else if (ending.reason === 'shutdown') outbox.release(task);
      else outbox.fail(task, { ...one.error, message: ending.message }, ending.reason === 'timeout');
    }
  }

  const deadlineOf = (task: WorkerTask): number =>
    task.timeout_seconds === undefined ? Infinity : clock() + task.timeout_seconds * 1000;

  /** Its host died. One that was told to stop has stopped; the time-out of another begins anew with its next run. */
  function mayRunAgain(run: number): boolean {
    const assignment = byRun.get(run);
    if (!assignment) return false;
    if (assignment.ending) onDone([{ run, error: { message: assignment.ending.message }, retryable: true }]);
    assignment.deadline = Infinity;
    return byRun.has(run);
  }

  function onBegin(run: number): void {
    const assignment = byRun.get(run);
    if (assignment) assignment.deadline = deadlineOf(assignment.task);
  }

  function end(assignment: Assignment, reason: AbortReason, message: string): void {
    if (assignment.ending && assignment.ending.reason !== 'shutdown') return;
    assignment.ending = { reason, message, giveUpAt: clock() + options.abandonMs };
    options.hosts().abort(assignment.run, reason, message);
  }

  /** The service gave it to somebody else, or ended it: whatever comes of it is of no use. */
  function lose(id: string): void {
    const assignment = byId.get(id);
    if (!assignment) return;
    log.warn({ task: id, key: assignment.task.key, attempt: assignment.task.attempt }, 'task is no longer ours');
    options.hosts().abort(assignment.run, 'lost', 'the task is no longer this worker’s');
    options.hosts().giveUp(assignment.run);
    forget(assignment);
  }

  function checkTime(): void {
    const now = clock();
    for (const assignment of byRun.values()) {
      const { task, ending, deadline, run } = assignment;
      if (ending && ending.reason !== 'shutdown' && now >= ending.giveUpAt) {
        forget(assignment);
        outbox.fail(
          task,
          { message: `${ending.message}, and it did not stop when told to` },
          ending.reason === 'timeout',
        );
        options.hosts().giveUp(run);
      } else if (!ending && now >= deadline) {
        end(assignment, 'timeout', `the task took longer than its time-out of ${task.timeout_seconds} seconds`);
      }
    }
  }

  return {
    accept,
    onDone,
    lose,
    checkTime,
    mayRunAgain,
    onBegin,
    count: () => byRun.size,
    onLines(lines: RunLines[]): void {
      for (const { run, lines: text } of lines) {
        const assignment = byRun.get(run);
        if (assignment) outbox.addLogs(assignment.task, text);
      }
    },
    onProgress(progress: RunProgress[]): void {
      for (const { run, fraction } of progress) {
        const assignment = byRun.get(run);
        if (assignment) Object.assign(assignment, { progress: fraction, isProgressNew: true });
      }
    },
    cancel(ids: string[]): void {
      for (const id of ids) {
        const assignment = byId.get(id);
        if (assignment) end(assignment, 'canceled', 'the task was canceled');
      }
    },
    /** Asks all of them to stop; those that do are handed back. */
    shutdown(): void {
      for (const assignment of byRun.values()) end(assignment, 'shutdown', 'the worker is shutting down');
    },
    releaseAll(): void {
      for (const assignment of byRun.values()) {
        forget(assignment);
        outbox.release(assignment.task);
      }
    },
    hasNews: (): boolean => byRun.values().some(({ isProgressNew }) => isProgressNew),
    /** For `running` in a report: all of them, or those with news. */
    describe(which: 'all' | 'news'): Array<{ id: string; attempt: number; progress?: number }> {
      const list = [];
      for (const assignment of byRun.values()) {
        if (which === 'news' && !assignment.isProgressNew) continue;
        assignment.isProgressNew = false;
        const { task, progress } = assignment;
        list.push({ id: task.id, attempt: task.attempt, ...(progress === undefined ? {} : { progress }) });
      }
      return list;
    },
  };
}
