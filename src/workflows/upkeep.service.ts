import type { Log } from '../db/open.ts';
import type { Definitions } from './definitions/definitions.service.ts';
import type { EndedInstance, EngineStore, SweepRow } from './engine.store.ts';
import type { EventsStore } from './events.store.ts';
import type { InstancesStore } from './instances.store.ts';
import type { StepsStore } from './steps.store.ts';

export type UpkeepLimits = {
  /** How long a task that was told to stop, or whose time is up, may take to do so. */
  graceSeconds: number;
  /** After so many dead workers a task has failed. */
  maxLost: number;
  /** After so long without a worker that wants it, a ready task has failed. */
  unclaimedSeconds: number;
};

const sweepEveryMs = 500;
const rareEveryMs = 30_000;

/**
 * What has to happen though nobody asks: leases that ran out, time-outs, retries that are due, counts, retention. Every process does it;
 * the statements see to it that they do not get into each other's way.
 */
export function createUpkeep(deps: {
  store: EngineStore;
  steps: StepsStore;
  instances: InstancesStore;
  events: Pick<EventsStore, 'expire'>;
  definitions: Definitions;
  limits: UpkeepLimits;
  /** Tasks may have become ready, for workers or for the service itself. */
  wake: () => void;
  log: Log;
}) {
  const { store, steps, instances, definitions, limits, log } = deps;
  let isClosed = false;
  let sweeping: Promise<void> | undefined;
  let tidying: Promise<void> | undefined;
  let alarm: NodeJS.Timeout | undefined;

  /** Whoever waited for these instances goes on: the task that started it, and the next of the same workflow. */
  async function followUp(ended: EndedInstance[]): Promise<void> {
    const parents = ended.flatMap(({ parentTaskId }) => parentTaskId ?? []);
    if (parents.length > 0) {
      await steps.unpark(parents);
      deps.wake();
    }
    if (definitions.list().some(({ plan }) => plan.overlap === 'queue')) await releaseHeld();
  }

  async function releaseHeld(): Promise<void> {
    for (const { project, name } of await steps.listHeldWorkflows()) {
      if (await store.transaction((client) => steps.releaseHeld(client, project, name))) deps.wake();
    }
  }

  async function digest(rows: SweepRow[]): Promise<void> {
    if (rows.length === 0) return;
    for (const { what, count } of rows) {
      if (what !== 'ended' && what !== 'due') log.info({ what, count: Number(count) }, 'workflow tasks were swept');
    }
    const ended = rows.flatMap(({ what, id, parent_task_id: parentTaskId, status }) =>
      what === 'ended' && id !== null ? [{ id, parentTaskId, status }] : [],
    );
    await followUp(ended);
    deps.wake();
  }

  async function sweep(): Promise<void> {
    await digest(await store.sweep(limits));
    const dueInMs = await store.nextDueInMs();
    clearTimeout(alarm);
    // Retries and alarms are on time; the round is only the net.
    if (dueInMs !== undefined && dueInMs < sweepEveryMs && !isClosed)
      alarm = setTimeout(sweepOnce, dueInMs + 1).unref();
  }

  function sweepOnce(): void {
    if (sweeping || isClosed) return;
    sweeping = sweep()
      .catch((error: unknown) => log.warn({ err: error }, 'workflow tasks could not be swept'))
      .finally(() => {
        sweeping = undefined;
      });
  }

  async function tidy(): Promise<void> {
    await digest(await store.endStuck(limits.unclaimedSeconds));
    await releaseHeld();
    await deps.events.expire();
    for (const { project, name, plan } of definitions.list()) {
      if (!plan.retention) continue;
      // A portion at a time; what is left comes next time.
      for (let portion = 0; portion < 20; portion++) {
        if ((await instances.expire({ project, name, ...plan.retention })) === 0) break;
      }
    }
    await store.foldCounts();
  }

  function tidyOnce(): void {
    if (tidying || isClosed) return;
    tidying = tidy()
      .catch((error: unknown) => log.warn({ err: error }, 'workflow tables could not be tidied'))
      .finally(() => {
        tidying = undefined;
      });
  }

  const timers = [setInterval(sweepOnce, sweepEveryMs).unref(), setInterval(tidyOnce, rareEveryMs).unref()];
  const folder = setInterval(() => void store.foldCounts().catch(() => undefined), 5000).unref();

  return {
    followUp,
    /** A retry was scheduled: see when it is due. */
    sweepSoon: sweepOnce,
    async close(): Promise<void> {
      isClosed = true;
      for (const timer of [...timers, folder]) clearInterval(timer);
      clearTimeout(alarm);
      await sweeping;
      await tidying;
    },
  };
}
