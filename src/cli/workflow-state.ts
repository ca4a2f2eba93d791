import {
  type InstanceDetail,
  type InstanceEvent,
  isFinal,
  type Status,
  type Task,
  type TaskEvent,
} from './workflow-answers.ts';

/** Something a person who watches would want to be told. */
export type Change =
  | { kind: 'task'; at: string; task: Task }
  | { kind: 'instance'; at: string; status: Status }
  | { kind: 'custom'; at: string; type: string; data: unknown };

export type Step = {
  state: InstanceDetail;
  changes: Change[];
  /** The event speaks of what it does not carry (an unknown element of a foreach, why a task failed): read the whole again. */
  read: 'now' | 'soon' | 'no';
};

/** A task event on top of what was known. Late ones change nothing: a read may have been quicker than the stream. */
export function applyTaskEvent(state: InstanceDetail, event: TaskEvent): Step {
  const known = state.tasks.find((task) => task.id === event.task_id);
  if (known === undefined) return { state, changes: [], read: 'now' };
  const isLate = Date.parse(event.at) < Date.parse(known.updated);
  if (isLate || isFinal(known.status)) return { state, changes: [], read: 'no' };
  const task = moved(known, event);
  const tasks = state.tasks.map((each) => (each === known ? task : each));
  const isNews = known.status !== task.status || known.attempt !== task.attempt;
  const changes: Change[] = isNews ? [{ kind: 'task', at: event.at, task }] : [];
  // Why it failed is not in the event.
  return { state: { ...state, tasks }, changes, read: event.status === 'error' ? 'soon' : 'no' };
}

function moved(known: Task, { status, attempt, at, progress }: TaskEvent): Task {
  const isNewRun = status === 'progress' && (known.status !== 'progress' || attempt !== known.attempt);
  return {
    ...known,
    status,
    attempt: attempt ?? known.attempt,
    updated: at,
    progress: status === 'progress' ? (progress ?? (isNewRun ? null : known.progress)) : null,
    started: isNewRun ? at : known.started,
    finished: isFinal(status) ? at : null,
  };
}

/** An end is believed only when read: the last tasks' results and errors come with it. */
export function applyInstanceEvent(state: InstanceDetail, event: InstanceEvent): Step {
  if (isFinal(event.status)) return { state, changes: [], read: 'now' };
  const isNews = !isFinal(state.status) && state.status !== event.status && event.status === 'progress';
  if (!isNews) return { state, changes: [], read: 'no' };
  const next = { ...state, status: event.status, started: state.started ?? event.at };
  return { state: next, changes: [{ kind: 'instance', at: event.at, status: event.status }], read: 'no' };
}

/** What was read, and how it differs from what was known. Where an event was quicker than the answer, the event stands. */
export function applyRead(known: InstanceDetail | undefined, read: InstanceDetail): Step {
  const before = new Map(known?.tasks.map((task) => [task.id, task]));
  const tasks = read.tasks.map((task) => newerOf(before.get(task.id), task));
  const isBehind = known?.status === 'progress' && read.status === 'pending';
  const state = { ...read, tasks, ...(isBehind ? { status: known.status, started: known.started } : {}) };
  const changes = tasks.flatMap((task): Change[] => {
    const former = before.get(task.id);
    const isNews =
      former === undefined
        ? task.status !== 'pending'
        : former.status !== task.status || (former.attempt ?? 1) !== (task.attempt ?? 1);
    return isNews ? [{ kind: 'task', at: task.finished ?? task.updated, task }] : [];
  });
  changes.sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
  if (known?.status !== state.status)
    changes.push({ kind: 'instance', at: read.finished ?? read.updated, status: state.status });
  return { state, changes, read: 'no' };
}

function newerOf(known: Task | undefined, read: Task): Task {
  // An end that was read says more than the event that told of it.
  if (known === undefined || isFinal(read.status)) return read;
  return isFinal(known.status) || Date.parse(known.updated) > Date.parse(read.updated) ? known : read;
}
