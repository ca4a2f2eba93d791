import { createHash } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Log } from '../db/open.ts';
import { conflict, notFound } from '../errors.ts';
import { type Actor, systemActor } from '../identity/access.ts';
import type { Definitions } from './definitions/definitions.service.ts';
import type { EngineStore } from './engine.store.ts';
import type { InstancesService } from './instances.service.ts';
import type { Plan, Schedule } from './plan.ts';
import type { ScheduleRow, SchedulesStore } from './schedules.store.ts';
import { dueTicks, nextTick } from './ticks.ts';

const maxSleepMs = 1000;
export const schedulerActor: Actor = { ...systemActor, userName: 'scheduler' };

export type SchedulesService = ReturnType<typeof createSchedulesService>;

/**
 * Fires each tick once, however many processes there are: whoever holds the schedule's row starts the instance and moves the row on in one
 * transaction, so that a crash leaves both or neither.
 */
export function createSchedulesService(deps: {
  store: Pick<EngineStore, 'transaction'>;
  schedules: SchedulesStore;
  definitions: Definitions;
  instances: Pick<InstancesService, 'prepare' | 'startScheduled' | 'wake'>;
  clock: Clock;
  log: Log;
  /** Tests stop here to let something else happen. */
  pause?: (point: 'tick taken') => Promise<void>;
}) {
  const { store, schedules, definitions, clock, log } = deps;
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> | undefined;
  let isClosed = false;

  const periodic = (): (Plan & { schedule: Schedule })[] =>
    definitions.list().flatMap(({ plan }) => (plan.schedule ? [{ ...plan, schedule: plan.schedule }] : []));

  /** The rows follow the definitions. */
  async function sync(): Promise<void> {
    const now = new Date(clock());
    const wanted = periodic().map(({ fullname, schedule }) => ({
      fullname,
      version: versionOf(schedule),
      nextRun: nextTick(schedule, now),
    }));
    if (wanted.length > 0) await schedules.save(wanted);
  }

  async function fire(): Promise<void> {
    const known = new Map(periodic().map((plan) => [plan.fullname, plan]));
    if (known.size === 0) return;
    // Before the transaction: the embedded database has one connection, and what asks for another within would wait for ever.
    for (const one of known.values()) await deps.instances.prepare(one);
    for (;;) {
      const started: Plan[] = [];
      const taken = await store.transaction(async (client) => {
        const due = await schedules.takeDue(client, [...known.keys()], new Date(clock()));
        if (due.length > 0) await deps.pause?.('tick taken');
        for (const row of due) {
          const plan = known.get(row.fullname);
          if (!plan || row.next_run === null) continue;
          const now = new Date(clock());
          const { runs, next } = dueTicks(plan.schedule, row.next_run, now);
          for (let run = 0; run < runs; run++) {
            const created = await deps.instances.startScheduled(client, plan, plan.schedule.payload, schedulerActor);
            if (created) started.push(plan);
            else log.info({ fullname: plan.fullname }, 'a tick was skipped: the former instance still runs');
          }
          await schedules.moveOn(client, row.fullname, row.next_run, next);
        }
        return due.length;
      });
      for (const plan of started) deps.instances.wake(plan);
      if (taken === 0 || isClosed) return;
    }
  }

  function plan(delayMs: number): void {
    if (isClosed) return;
    clearTimeout(timer);
    timer = setTimeout(() => void run(), delayMs).unref();
  }

  async function run(): Promise<void> {
    if (working || isClosed) return;
    working = fire()
      .catch((error: unknown) => log.warn({ err: error }, 'schedules could not be run'))
      .finally(() => {
        working = undefined;
      });
    await working;
    plan(maxSleepMs - (clock() % maxSleepMs)); // whole seconds are when most of them are due
  }

  const stopListening = definitions.onChange(
    () => void sync().catch((error: unknown) => log.warn({ err: error }, 'schedules could not be saved')),
  );

  async function setPaused(fullname: string, isPaused: boolean, actor: Actor): Promise<void> {
    const found = definitions.find(fullname);
    if (!found) throw notFound(`There is no workflow ${fullname}.`);
    const { schedule } = found.plan;
    if (!schedule) throw conflict(`There is no schedule of ${fullname} to pause or resume.`);
    await sync();
    await store.transaction((client) =>
      schedules.setPaused(client, fullname, isPaused, isPaused ? null : nextTick(schedule, new Date(clock())), actor),
    );
  }

  return {
    async start(): Promise<void> {
      await sync();
      plan(0);
    },
    setPaused,
    /** By fullname, for the list of definitions. */
    async list(): Promise<Map<string, ScheduleRow>> {
      return new Map((await schedules.list()).map((row) => [row.fullname, row]));
    },
    /** One round, for tests that hold the clock. */
    run: fire,
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(timer);
      stopListening();
      await working;
    },
  };
}

const versionOf = (schedule: Schedule): string => {
  const { intervalSeconds, crontab, timezone } = schedule;
  return createHash('sha256')
    .update(JSON.stringify([intervalSeconds, crontab, timezone]))
    .digest('hex')
    .slice(0, 16);
};
