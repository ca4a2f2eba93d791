import type { Clock } from '../clock.ts';
import type { Listener } from '../db/listen.ts';
import type { Database, Log } from '../db/open.ts';
import { createContexts } from './contexts.service.ts';
import type { Definitions } from './definitions/definitions.service.ts';
import { createDispatch, type Dispatch } from './dispatch.service.ts';
import { createEngineStore, type EndedInstance } from './engine.store.ts';
import { createEventsService } from './events.service.ts';
import { createEventsStore } from './events.store.ts';
import { createInstanceList } from './instance-list.store.ts';
import { createInstancesService } from './instances.service.ts';
import { createInstancesStore } from './instances.store.ts';
import { createLogsStore } from './logs.store.ts';
import { serviceQueue } from './new-instance.ts';
import { createQueueNames } from './queue-names.service.ts';
import { createSchedulesService } from './schedules.service.ts';
import { createSchedulesStore } from './schedules.store.ts';
import { createServiceTasks, workflowActor } from './service-tasks.service.ts';
import { createSteps, elementsOf } from './steps.service.ts';
import { createStepsStore } from './steps.store.ts';
import { createUpkeep, type UpkeepLimits } from './upkeep.service.ts';
import { createIds } from './uuid.ts';
import { listenForWork } from './work-notices.store.ts';

export type WorkflowLimits = UpkeepLimits & {
  leaseSeconds: number;
  /** Of payloads and results that are kept at hand for the tasks that come next. */
  contextBytes: number;
  /** Of one foreach. */
  maxElements: number;
};

export const defaultLimits: WorkflowLimits = {
  leaseSeconds: 8,
  graceSeconds: 10,
  maxLost: 4,
  unclaimedSeconds: 86_400,
  contextBytes: 64 * 1024 * 1024,
  maxElements: 10_000,
};

export type Workflows = Awaited<ReturnType<typeof createWorkflows>>;

/** The parts of the workflow engine, put together. */
export async function createWorkflows(deps: {
  pool: Database['pool'];
  /** Where other processes work on the same database: hears what they say. */
  listener: Listener | undefined;
  definitions: Definitions;
  serviceTasks: Omit<Parameters<typeof createServiceTasks>[0], 'steps' | 'wakeEvents'>;
  /** Names this process among the workers. */
  processName: string;
  clock: Clock;
  log: Log;
  limits?: Partial<WorkflowLimits> | undefined;
}) {
  const { pool, definitions, clock, log } = deps;
  const limits = { ...defaultLimits, ...deps.limits };
  const newId = createIds(Date.now);
  const store = createEngineStore(pool, { leaseSeconds: limits.leaseSeconds });
  const stepsStore = createStepsStore(pool);
  const instancesStore = createInstancesStore(pool);
  const eventsStore = createEventsStore(pool);
  const logs = createLogsStore(pool);
  const contexts = createContexts({ store, maxBytes: limits.contextBytes });
  const queueNames = createQueueNames(store);
  const events = createEventsService({ store: eventsStore, log });
  const { listener } = deps;
  const notices = listener && listenForWork({ pool, listener, onWork: () => wake() });

  const dispatch: Dispatch = createDispatch({
    store,
    contexts,
    elementsOf,
    listQueues: () => queueNames.list(),
    saveLogs: (_worker, lines) => logs.add(lines),
    onEnded,
    onChange: (readyQueues) => {
      events.wake();
      if (readyQueues.length === 0) return;
      if (readyQueues.includes(serviceQueue)) steps.wake();
      notices?.tell();
    },
  });
  const instances = createInstancesService({
    store,
    instances: instancesStore,
    contexts,
    definitions,
    dispatch,
    queueNames,
    newId,
    wakeSteps: () => steps.wake(),
    onEnded,
    onChange: () => {
      events.wake();
      notices?.tell();
    },
  });
  const steps = createSteps({
    store,
    steps: stepsStore,
    contexts,
    dispatch,
    serviceTasks: createServiceTasks({ ...deps.serviceTasks, steps: stepsStore, wakeEvents: () => events.wake() }),
    startChild: (call) => instances.startChild(call, workflowActor),
    newId,
    worker: `~service:${deps.processName}`,
    maxElements: limits.maxElements,
    log,
  });
  const upkeep = createUpkeep({
    store,
    steps: stepsStore,
    instances: instancesStore,
    events: eventsStore,
    definitions,
    limits,
    wake,
    log,
  });
  const schedules = createSchedulesService({
    store,
    schedules: createSchedulesStore(pool),
    definitions,
    instances,
    clock,
    log,
  });

  /** Tasks may have become ready, for workers or for the service itself. */
  function wake(): void {
    steps.wake();
    dispatch.wake();
    events.wake();
  }

  function onEnded(ended: EndedInstance[]): void {
    if (ended.length === 0) return;
    for (const { id } of ended) contexts.forget(id);
    upkeep
      .followUp(ended)
      .catch((error: unknown) => log.warn({ err: error }, 'what waited for an instance is told later'));
  }

  const applyLimits = (): Promise<void> =>
    store.limitQueues(
      [...definitions.queues()].map(([name, { concurrency, rate }]) => ({
        name,
        ...(concurrency === undefined ? {} : { concurrency }),
        ...(rate === undefined ? {} : { ratePerSecond: rate.count / rate.perSeconds }),
      })),
    );
  await applyLimits();
  const stopListening = definitions.onChange(
    () => void applyLimits().catch((error: unknown) => log.warn({ err: error }, 'limits of queues could not be saved')),
  );
  await schedules.start();
  wake();
  // The net: whatever was not told is found a second later.
  const poll = setInterval(wake, 1000).unref();

  return {
    dispatch,
    instances,
    instancesStore,
    instanceList: createInstanceList(pool),
    events,
    logs,
    schedules,
    upkeep,
    async close(): Promise<void> {
      clearInterval(poll);
      stopListening();
      await schedules.close();
      dispatch.close();
      events.close();
      await notices?.stop();
      await steps.close();
      await instances.idle();
      await upkeep.close();
      definitions.close();
    },
  };
}
