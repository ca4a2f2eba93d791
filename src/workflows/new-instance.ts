import type { JsonObject, Plan, PlanHook, PlanItem } from './plan.ts';
import { internalBuiltIns, serviceBuiltIns } from './plan.ts';

/** Tasks that the service itself looks at wait in a queue of their own, which no worker is given. */
export const serviceQueue = '~service';

export type NewInstance = {
  id: string;
  plan: Plan;
  payload: JsonObject;
  isPeriodic: boolean;
  comment: string | null;
  relaunchedFrom: string | null;
  resumes: string | null;
  parentTaskId: string | null;
  /** Unique for all time; the caller has made it so for its user. */
  idempotencyKey: string | null;
  isHeld: boolean;
  tasks: NewTask[];
  openSinks: number;
};

export type NewTask = {
  id: string;
  instance_id: string;
  position: number;
  key: string;
  run: string;
  queue: string;
  state: 'blocked' | 'ready' | 'held' | 'success';
  waiting: number;
  previous: string[];
  children: string[];
  is_hook: boolean;
  retry: PlanItem['retry'] | null;
  timeout_seconds: number | null;
};

export const hookPositions = { init: -1, success: -2, failure: -3 } as const;
export type HookName = keyof typeof hookPositions;

/** After this long an attempt has failed, unless the definition says otherwise: nothing runs for ever. */
export const defaultTimeoutSeconds = 3600;

export type InstanceRequest = Pick<
  NewInstance,
  'plan' | 'payload' | 'isPeriodic' | 'comment' | 'relaunchedFrom' | 'resumes' | 'parentTaskId' | 'idempotencyKey'
> & {
  /** Items that keep the result they had in the instance that is resumed. */
  succeeded?: ReadonlySet<number>;
};

/** The rows of an instance: one for each item of its plan, those without predecessors ready to go. */
export function newInstance(request: InstanceRequest, newId: () => string): NewInstance {
  const { plan, succeeded = new Set<number>(), ...rest } = request;
  const id = newId();
  const ids = plan.items.map(() => newId());
  const children: string[][] = plan.items.map(() => []);
  plan.items.forEach((item, position) => {
    for (const before of item.previous) children[before].push(ids[position]);
  });
  const tasks = plan.items.map((item, position): NewTask => {
    const waiting = item.previous.filter((before) => !succeeded.has(before)).length;
    return {
      id: ids[position],
      instance_id: id,
      position,
      key: item.key,
      run: item.run,
      queue: queueOf(item),
      state: succeeded.has(position) ? 'success' : waiting === 0 ? 'ready' : 'blocked',
      waiting,
      previous: item.previous.map((before) => ids[before]),
      children: children[position],
      is_hook: false,
      retry: item.retry.attempts > 1 ? item.retry : null,
      timeout_seconds: item.timeoutSeconds ?? (item.kind === 'task' ? defaultTimeoutSeconds : null),
    };
  });
  const openSinks = tasks.filter((task) => task.children.length === 0 && task.state !== 'success').length;
  if (plan.hooks.init) tasks.push(hookTask(plan.hooks.init, id, newId()));
  return { ...rest, id, plan, tasks, openSinks, isHeld: false };
}

/** The same instance, waiting for the one before it to end. */
export const heldInstance = (instance: NewInstance): NewInstance => ({
  ...instance,
  isHeld: true,
  tasks: instance.tasks.map((task) => (task.state === 'ready' ? { ...task, state: 'held' } : task)),
});

/** Whether the service has to look at an item before, or instead of, a worker. */
export const isServiceItem = (item: PlanItem): boolean =>
  item.kind !== 'task' || item.when !== undefined || isServiceBuiltIn(item.run);

export const isServiceBuiltIn = (run: string): boolean => serviceNames.has(run);
const serviceNames: ReadonlySet<string> = new Set([...serviceBuiltIns, ...internalBuiltIns]);

export const queueOf = (item: PlanItem): string => (isServiceItem(item) ? serviceQueue : item.queue);

/** What becomes of a hook once it is its turn, as the database keeps it with the instance. */
export const hookRow = (hook: PlanHook) => ({
  key: hook.key,
  run: hook.run,
  queue: isServiceBuiltIn(hook.run) ? serviceQueue : hook.queue,
  retry: hook.retry.attempts > 1 ? hook.retry : null,
  timeout_seconds: hook.timeoutSeconds ?? defaultTimeoutSeconds,
});

const hookTask = (hook: PlanHook, instanceId: string, id: string): NewTask => ({
  ...hookRow(hook),
  id,
  instance_id: instanceId,
  position: hookPositions.init,
  state: 'ready',
  waiting: 0,
  previous: [],
  children: [],
  is_hook: true,
});
