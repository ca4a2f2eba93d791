import type { Log } from '../db/open.ts';
import { approval } from './approval.ts';
import type { Contexts } from './contexts.service.ts';
import { evaluateExpression } from './definitions/expression.ts';
import type { Dispatch } from './dispatch.service.ts';
import type { EngineStore, HandedTask } from './engine.store.ts';
import { defaultTimeoutSeconds, isServiceBuiltIn, serviceQueue } from './new-instance.ts';
import type { Json, JsonObject, PlanItem } from './plan.ts';
import type { HeldTask, StepsStore } from './steps.store.ts';
import { type InstanceContext, itemAt, scopeOf } from './task-context.ts';

/** What becomes of a task that the service looked at: it is done, it failed, or it waits (and the rows say for what). */
export type StepOutcome =
  | { done: Json }
  | { failed: string; isRetryable?: boolean }
  | { parked: { memo: Json; dueInSeconds?: number /** The instance that it waits for. */; child?: string } }
  | 'waits';

/** A built-in task that the service carries out itself. `memo` is what it remembered when it was parked, null at first. */
export type ServiceTask = (call: {
  with: Json;
  memo: Json;
  context: InstanceContext;
  taskId: string;
  signal: AbortSignal;
  log: (line: string) => void;
}) => Promise<StepOutcome>;

/** For a task that is not to go on: whoever still holds it ends it as canceled, and nobody else is heard. */
const stopped = { failed: 'It was canceled.' };

/** What a task that started an instance remembers: which, and until when it waits for it (in milliseconds). */
type WorkflowMemo = { instance: string; until?: number };

const claimAtOnce = 100;
const lookAgainAfterSeconds = 60;

/** Carries out what no worker is given: conditions, foreach, approvals, sub-workflows and some built-in tasks. */
export function createSteps(deps: {
  store: EngineStore;
  steps: StepsStore;
  contexts: Contexts;
  dispatch: Dispatch;
  serviceTasks: Record<string, ServiceTask>;
  startChild: (call: { fullname: string; payload: JsonObject; parentTaskId: string }) => Promise<string>;
  newId: () => string;
  /** This process, among the workers. */
  worker: string;
  maxElements: number;
  log: Log;
}) {
  const { store, steps, contexts, dispatch, worker } = deps;
  let running: Promise<void> | undefined;
  let isWokenAgain = false;
  const closing = new AbortController();
  const inHand = new Map<string, HeldTask>();

  function wake(): void {
    if (closing.signal.aborted) return;
    if (running) {
      isWokenAgain = true;
      return;
    }
    running = runAll()
      .catch((error: unknown) => deps.log.warn({ err: error }, 'tasks of the service could not be looked at'))
      .finally(() => {
        running = undefined;
        if (!isWokenAgain) return;
        isWokenAgain = false;
        wake();
      });
  }

  async function runAll(): Promise<void> {
    for (;;) {
      const max = claimAtOnce - inHand.size;
      if (max <= 0 || closing.signal.aborted) return;
      const handed = await store.claim({ worker, max, queues: [serviceQueue], tasks: undefined });
      if (handed.length === 0) return;
      const [known, memos] = await Promise.all([contexts.get(handed), steps.loadMemos(handed.map(({ id }) => id))]);
      for (const task of handed) {
        const [context, memo] = [known.get(task.instance_id), memos.get(task.id)];
        if (!context || !memo) continue; // deleted meanwhile
        inHand.set(task.id, { id: task.id, attempt: task.attempt, worker });
        // Not awaited: one of them may take a while, such as an import, and the others should not wait for it.
        void look(task, context, memo)
          .catch((error: unknown) => deps.log.warn({ err: error, taskId: task.id }, 'a task of the service broke off'))
          .finally(() => {
            inHand.delete(task.id);
            if (inHand.size === claimAtOnce - 1) wake();
          });
      }
    }
  }

  async function look(
    task: HandedTask,
    context: InstanceContext,
    known: { memo: Json; timeoutSeconds: number | null },
  ): Promise<void> {
    const held: HeldTask = { id: task.id, attempt: task.attempt, worker };
    const outcome = await decide(task, held, context, known).catch(
      (error: unknown): StepOutcome => ({ failed: error instanceof Error ? error.message : String(error) }),
    );
    if (outcome === 'waits') return;
    if ('parked' in outcome) {
      if (!(await steps.park(held, outcome.parked))) await fail(task, stopped);
      else if (outcome.parked.child !== undefined && (await steps.unparkIfEnded(task.id))) wake();
      return;
    }
    if ('failed' in outcome) return fail(task, outcome);
    const reference = { id: task.id, attempt: task.attempt };
    const nothing = { worker, max: 0, logs: [], released: [], running: [], completed: [], failed: [] };
    await dispatch.report({ ...nothing, completed: [{ ...reference, result: outcome.done }] });
    wake();
  }

  async function fail(task: HandedTask, outcome: { failed: string; isRetryable?: boolean }): Promise<void> {
    const error = { message: outcome.failed };
    const failed = [{ id: task.id, attempt: task.attempt, error, retryable: outcome.isRetryable ?? false }];
    await dispatch.report({ worker, max: 0, logs: [], released: [], running: [], completed: [], failed });
    wake();
  }

  async function decide(
    task: HandedTask,
    held: HeldTask,
    context: InstanceContext,
    { memo, timeoutSeconds }: { memo: Json; timeoutSeconds: number | null },
  ): Promise<StepOutcome> {
    const item = itemAt(context.plan, task.position);
    if (!item) throw new Error('The task has no place in its plan.');
    if (task.position < 0 || task.element !== null) return runBuiltIn(task, context, item.run, memo);
    const planItem = item as PlanItem; // only hooks have negative positions
    if (memo === null && planItem.when !== undefined) {
      // null, false, 0 and "" are false, everything else is true.
      if (!evaluateExpression(planItem.when, scopeOf(context, task.position))) {
        await steps.noteSkipped(held);
        return { done: null };
      }
    }
    if (planItem.kind === 'approval') return approval({ memo, timeoutSeconds, item: planItem, context, task });
    if (planItem.kind === 'foreach') return foreach(task, held, context, planItem, memo);
    if (planItem.kind === 'workflow') return subWorkflow(task, context, planItem, memo as WorkflowMemo | null); // written by itself
    if (isServiceBuiltIn(planItem.run)) return runBuiltIn(task, context, planItem.run, memo);
    if (!(await steps.passOn(held, planItem.queue))) return stopped;
    dispatch.wake();
    return 'waits';
  }

  async function runBuiltIn(task: HandedTask, context: InstanceContext, run: string, memo: Json): Promise<StepOutcome> {
    const [described] = await dispatch.describe([task]);
    const lines: string[] = [];
    const outcome = await deps.serviceTasks[run]({
      with: described?.with ?? null,
      memo,
      context,
      taskId: task.id,
      signal: closing.signal,
      log: (line) => lines.push(line),
    });
    if (lines.length > 0) {
      const logs = [{ id: task.id, attempt: task.attempt, lines }];
      await dispatch.report({ worker, max: 0, logs, released: [], running: [], completed: [], failed: [] });
    }
    return outcome;
  }

  async function foreach(
    task: HandedTask,
    held: HeldTask,
    context: InstanceContext,
    item: PlanItem,
    memo: Json,
  ): Promise<StepOutcome> {
    if (memo !== null) {
      const elements = await steps.listElements(task.id);
      if (elements.every(({ state }) => state === 'success')) return { done: elements.map(({ result }) => result) };
      return { failed: 'Not all of its elements were done.' };
    }
    const list = elementsOf(context, task.position);
    if (list.length === 0) return { done: [] };
    if (list.length > deps.maxElements) {
      return { failed: `Its list has ${list.length} elements; ${deps.maxElements} are possible.` };
    }
    const succeeded = await steps.listSucceededElements(task.instance_id, task.position, list.length);
    let free = item.foreach?.concurrency ?? list.length;
    const elements = list.map((_, element) => {
      if (succeeded.has(element)) return { id: deps.newId(), element, state: 'success' } as const;
      return { id: deps.newId(), element, state: free-- > 0 ? 'ready' : 'held' } as const;
    });
    const isExpanded = await store.transaction((client) =>
      steps.expand(
        client,
        { ...held, instanceId: task.instance_id, position: task.position },
        {
          key: item.key,
          run: item.run,
          queue: isServiceBuiltIn(item.run) ? serviceQueue : item.queue,
          retry: item.retry.attempts > 1 ? item.retry : null,
          timeoutSeconds: item.timeoutSeconds ?? defaultTimeoutSeconds,
          elements,
        },
      ),
    );
    if (!isExpanded) return stopped;
    dispatch.wake();
    if (isServiceBuiltIn(item.run)) wake();
    return 'waits';
  }

  async function subWorkflow(
    task: HandedTask,
    context: InstanceContext,
    item: PlanItem,
    memo: WorkflowMemo | null,
  ): Promise<StepOutcome> {
    const waitFor = (instance: string): StepOutcome => {
      const until = memo ? memo.until : item.timeoutSeconds && Date.now() + item.timeoutSeconds * 1000;
      if (until === undefined)
        return { parked: { memo: { instance }, dueInSeconds: lookAgainAfterSeconds, child: instance } };
      const left = (until - Date.now()) / 1000;
      // The sweeper cancels an instance that nobody waits for.
      if (left <= 0) return { failed: `It timed out after ${item.timeoutSeconds} s.` };
      const dueInSeconds = Math.min(left, lookAgainAfterSeconds);
      return { parked: { memo: { instance, until }, dueInSeconds, child: instance } };
    };
    const child = await steps.findChild(task.id);
    if (child !== undefined) {
      const instance = await steps.findInstance(child);
      if (!instance) return { failed: 'The instance that it started has been deleted.' };
      if (!instance.finished) return waitFor(child);
      const result = { instance: child, status: instance.status };
      if (instance.status === 'success') return { done: result };
      const reason = (instance.error as { message?: string } | null)?.message ?? instance.status; // our own row
      return { failed: `${item.workflow?.fullname} (${child}) ended as ${instance.status}: ${reason}` };
    }
    if (!item.workflow || memo !== null) return { failed: 'The instance that it started has been deleted.' };
    const { fullname, payload: expression } = item.workflow;
    const payload =
      expression === undefined ? context.payload : evaluateExpression(expression, scopeOf(context, task.position));
    if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
      return { failed: `The payload for ${fullname} must be an object.` };
    }
    const id = await deps.startChild({ fullname, payload, parentTaskId: task.id });
    return waitFor(id);
  }

  /** Leases run out unless somebody speaks for the tasks. */
  async function renew(): Promise<void> {
    if (inHand.size === 0) return;
    const running = [...inHand.values()].map(({ id, attempt }) => ({ id, attempt }));
    await dispatch.report({ worker, max: 0, logs: [], released: [], running, completed: [], failed: [] });
  }

  const renewer = setInterval(() => void renew().catch(() => undefined), (store.leaseSeconds * 1000) / 3).unref();

  return {
    wake,
    async close(): Promise<void> {
      closing.abort();
      clearInterval(renewer);
      await running?.catch(() => undefined);
      const released = [...inHand.values()].map(({ id, attempt }) => ({ id, attempt }));
      if (released.length === 0) return;
      await dispatch
        .report({ worker, max: 0, logs: [], released, running: [], completed: [], failed: [] })
        .catch(() => undefined);
    },
  };
}

/** The list that a foreach runs over. */
export function elementsOf(context: InstanceContext, position: number): Json[] {
  let lists = listsOf.get(context);
  if (!lists) listsOf.set(context, (lists = new Map()));
  const known = lists.get(position);
  if (known) return known;
  const { foreach } = context.plan.items[position];
  const list = foreach && evaluateExpression(foreach.over, scopeOf(context, position));
  if (!Array.isArray(list)) throw new Error(`"${foreach?.over}" is no list.`);
  lists.set(position, list);
  return list;
}
const listsOf = new WeakMap<InstanceContext, Map<number, Json[]>>();
