import { cleanText } from './clean-text.ts';
import type { Contexts } from './contexts.service.ts';
import { renderTemplates } from './definitions/template.ts';
import type { EndedInstance, EngineStore, HandedTask, WorkerOffer } from './engine.store.ts';
import { defaultTimeoutSeconds } from './new-instance.ts';
import type { Json, Scope } from './plan.ts';
import { hookNameAt, type InstanceContext, instanceOf, itemAt, scopeOf } from './task-context.ts';
import type { ClaimAnswer, ClaimRequest, ReportAnswer, ReportRequest, WorkerTask } from './worker.schemas.ts';

const maxHandedOut = 100_000;
const serveEveryMs = 5;

type Waiter = { request: ClaimRequest; answer: (answer: ClaimAnswer) => void };

export type Dispatch = ReturnType<typeof createDispatch>;

/** The worker's side of the engine: what it asks for, what it says, and what it is given next. */
export function createDispatch(deps: {
  store: EngineStore;
  contexts: Contexts;
  /** The elements that a foreach runs over. */
  elementsOf: (context: InstanceContext, position: number) => Json[];
  /** Names of all queues that workers may be given. */
  listQueues: () => Promise<string[]>;
  saveLogs: (worker: string, logs: ReportRequest['logs']) => Promise<void>;
  onEnded: (ended: EndedInstance[]) => void;
  /** States have changed; tasks have become ready in these queues. */
  onChange: (readyQueues: string[]) => void;
}) {
  const { store, contexts } = deps;
  const waiters = new Set<Waiter>();
  /** Where the results of running tasks will belong. Whatever is missing here is read from the database later. */
  const handedOut = new Map<string, HandedTask>();
  let isServing: Promise<void> | undefined;
  let isWokenAgain = false;
  /** How often it was said that there may be work: what was said during a claim is for the one who claimed, too. */
  let wakes = 0;
  let isClosed = false;
  let servedAt = 0;
  let pause: NodeJS.Timeout | undefined;

  async function offerOf(request: Pick<ClaimRequest, 'worker' | 'queues' | 'tasks' | 'max'>): Promise<WorkerOffer> {
    const { worker, tasks, max } = request;
    if (max === 0) return { worker, max, tasks, queues: [] };
    const queues = request.queues?.filter((queue) => !queue.startsWith('~')) ?? (await deps.listQueues());
    // In one order for everybody: queues with limits are locked one after the other.
    return { worker, max, tasks, queues: [...new Set(queues)].toSorted() };
  }

  /** Ready tasks may be there: whoever waits for some is served, one after the other. */
  function wake(): void {
    wakes++;
    if (isServing) {
      isWokenAgain = true;
      return;
    }
    if (waiters.size === 0 || pause) return;
    // At once when it is quiet; under load reports take most of what is ready along, and many small claims would only cost.
    const waitMs = servedAt + serveEveryMs - performance.now();
    if (waitMs > 0) {
      pause = setTimeout(() => {
        pause = undefined;
        wake();
      }, waitMs);
      return;
    }
    isServing = serveWaiters()
      .catch(() => undefined) // the database is gone for a moment: the next wake or poll tries again
      .finally(() => {
        isServing = undefined;
        servedAt = performance.now();
        if (!isWokenAgain) return;
        isWokenAgain = false;
        wake();
      });
  }

  async function serveWaiters(): Promise<void> {
    for (const waiter of waiters) {
      if (!waiters.has(waiter)) continue;
      // The queues anew: some may be younger than the wait.
      const handed = await store.claim(await offerOf(waiter.request));
      if (handed.length === 0) continue;
      const tasks = await describe(handed);
      deps.onChange([]);
      if (waiters.delete(waiter)) waiter.answer({ lease_seconds: store.leaseSeconds, tasks, canceled: [] });
      else await handBack(waiter.request.worker, handed);
    }
  }

  /** Its worker went away before it was told. */
  async function handBack(worker: string, handed: HandedTask[]): Promise<void> {
    const released = handed.map(({ id, attempt }) => ({ id, attempt }));
    const nothing = { worker, max: 0, queues: [], tasks: undefined };
    await store.report(nothing, { completed: [], failed: [], released, running: [] });
    wake();
  }

  /** So that the tasks which come next need not read them from the database. */
  function keepResults(completed: ReportRequest['completed'], rejected: Set<string>): void {
    // A worker that lost a task and got it again may report both attempts at once: which one counted is read from the database.
    const seen = new Set<string>();
    const twice = new Set<string>();
    for (const { id } of completed) (seen.has(id) ? twice : seen).add(id);
    for (const { id, attempt, result } of completed) {
      const task = handedOut.get(id);
      if (task?.attempt !== attempt) continue;
      handedOut.delete(id);
      if (task.element === null && !rejected.has(id) && !twice.has(id))
        contexts.addResult(task.instance_id, task.position, result);
    }
  }

  async function describe(handed: HandedTask[]): Promise<WorkerTask[]> {
    if (handed.length === 0) return [];
    const known = await contexts.get(handed);
    const tasks: WorkerTask[] = [];
    for (const task of handed) {
      handedOut.set(task.id, task);
      if (handedOut.size > maxHandedOut) handedOut.delete(handedOut.keys().next().value ?? '');
      const context = known.get(task.instance_id);
      // Deleted meanwhile: its lease runs out, and nobody will miss it.
      if (context) tasks.push(await describeOne(task, context));
    }
    return tasks;
  }

  async function describeOne(task: HandedTask, context: InstanceContext): Promise<WorkerTask> {
    const item = itemAt(context.plan, task.position);
    if (!item) throw new Error(`Task ${task.id} has no place in its plan.`);
    const scope: Scope = scopeOf(context, task.position);
    if (task.element !== null) {
      scope.item = deps.elementsOf(context, task.position)[task.element] ?? null;
      scope.index = task.element;
    }
    const isHook = task.position < 0;
    return {
      id: task.id,
      key: task.element === null ? item.key : elementKey(item.key, task.element),
      run: item.run,
      ...('with' in item && item.with !== undefined ? { with: renderTemplates(item.with, scope) } : {}),
      queue: item.queue,
      attempt: task.attempt,
      payload: context.payload,
      previous: scope.previous,
      results: scope.results,
      instance: instanceOf(context),
      timeout_seconds: item.timeoutSeconds ?? defaultTimeoutSeconds,
      ...(task.element === null ? {} : { item: scope.item, index: task.element }),
      ...(isHook
        ? { hook: { outcome: hookNameAt(task.position), ...(await store.loadOutcome(task.instance_id)) } }
        : {}),
    };
  }

  return {
    describe,
    wake,
    isAwaited: () => waiters.size > 0,

    /** Answers at once if there is work, otherwise when there is, or when the time is up. */
    async claim(request: ClaimRequest, gone: AbortSignal): Promise<ClaimAnswer> {
      const offer = await offerOf(request);
      const nothing: ClaimAnswer = { lease_seconds: store.leaseSeconds, tasks: [], canceled: [] };
      if (offer.max === 0) return nothing;
      const wakesBefore = wakes;
      const handed = await store.claim(offer);
      if (gone.aborted && handed.length > 0) await handBack(offer.worker, handed);
      if (handed.length > 0) {
        deps.onChange([]);
        return { ...nothing, tasks: await describe(handed) };
      }
      if (request.wait_seconds === 0 || isClosed || gone.aborted) return nothing;
      return new Promise((resolve) => {
        const finish = (answer: ClaimAnswer): void => {
          clearTimeout(timer);
          waiters.delete(waiter);
          gone.removeEventListener('abort', giveUp);
          resolve(answer);
        };
        const giveUp = (): void => finish(nothing);
        const waiter: Waiter = { request, answer: finish };
        const timer = setTimeout(giveUp, request.wait_seconds * 1000);
        gone.addEventListener('abort', giveUp);
        waiters.add(waiter);
        // Something may have become ready between the claim and this line.
        if (isServing || wakes !== wakesBefore) wake();
      });
    },

    async report(request: ReportRequest): Promise<ReportAnswer> {
      const offer = await offerOf(request);
      if (request.logs.length > 0) await deps.saveLogs(request.worker, request.logs);
      const failed = request.failed.map((one) => ({ ...one, error: cleanError(one.error) }));
      const said = await store.report(offer, { ...request, failed });
      keepResults(request.completed, new Set(said.rejected.map(({ id }) => id)));
      for (const { id } of request.failed) handedOut.delete(id);
      const tasks = await describe(said.next);
      if (said.ended.length > 0) {
        for (const { id } of said.ended) contexts.forget(id);
        deps.onEnded(said.ended);
      }
      if (said.readyQueues.length > 0) wake();
      if (request.completed.length + request.failed.length + request.released.length + tasks.length > 0)
        deps.onChange(said.readyQueues);
      return {
        lease_seconds: store.leaseSeconds,
        rejected: said.rejected,
        canceled: said.canceled,
        tasks,
      };
    },

    /** Tells a worker that waits for work which of its tasks should stop; one that does not wait hears of it with its next report. */
    tellCanceled(worker: string, ids: string[]): void {
      for (const waiter of waiters) {
        if (waiter.request.worker !== worker) continue;
        waiter.answer({ lease_seconds: store.leaseSeconds, tasks: [], canceled: ids });
        return;
      }
    },

    close(): void {
      isClosed = true;
      clearTimeout(pause);
      for (const { answer } of waiters) answer({ lease_seconds: store.leaseSeconds, tasks: [], canceled: [] });
    },
  };
}

const maxMessage = 10_000;
const maxStack = 30_000;

/** What the database can keep and look into, and what somebody might read. */
function cleanError(error: { message: string; stack?: string | undefined }): { message: string; stack?: string } {
  const message = cleanText(error.message, maxMessage);
  return error.stack === undefined ? { message } : { message, stack: cleanText(error.stack, maxStack) };
}

export const elementKey = (key: string, element: number): string => `${key}[${element}]`;
