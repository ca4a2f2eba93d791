import type { InstanceDetail, InstanceStatus, InstanceTask } from '../../../src/workflows/workflows.schemas.ts';

/** What the stream says of one instance. Everything else (results, times, errors) is read again a moment later. */
export type LiveEvent =
  | { event: 'task'; task_id: string; status: InstanceStatus; attempt: number; progress?: number; at: string }
  | { event: 'instance'; status: InstanceStatus; at: string };

/** The instance as it is after these events, all at once: a foreach may tell thousands in a second. */
export function applyEvents(instance: InstanceDetail, events: readonly LiveEvent[]): InstanceDetail {
  const changed = new Map<string, LiveEvent[]>();
  let next = instance;
  for (const event of events) {
    if (event.event === 'instance') next = applyToInstance(next, event);
    else {
      const known = changed.get(event.task_id);
      if (known) known.push(event);
      else changed.set(event.task_id, [event]);
    }
  }
  // A task that is not there yet (an element of a foreach) comes with the next reading.
  const isHit = changed.size > 0 && instance.tasks.some(({ id, finished }) => finished === null && changed.has(id));
  if (!isHit) return next;
  const tasks = instance.tasks.map((task) => (changed.get(task.id) ?? []).reduce(applyToTask, task));
  return { ...next, tasks };
}

function applyToTask(task: InstanceTask, event: LiveEvent): InstanceTask {
  // What has ended stays as it is: a replay tells old news.
  if (event.event !== 'task' || task.finished !== null) return task;
  const hasBegun = event.status === 'progress' && task.status !== 'progress';
  return {
    ...task,
    status: event.status,
    attempt: event.attempt,
    progress: event.progress ?? (hasBegun ? null : task.progress),
    started: hasBegun ? event.at : task.started,
  };
}

function applyToInstance(instance: InstanceDetail, { status, at }: LiveEvent): InstanceDetail {
  if (instance.finished !== null) return instance;
  return { ...instance, status, started: instance.started ?? (status === 'progress' ? at : null) };
}
