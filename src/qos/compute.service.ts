import type { Clock } from '../clock.ts';
import { badRequest, notFound } from '../errors.ts';
import type { Actor } from '../identity/access.ts';
import type { StartRequest } from '../workflows/instances.service.ts';
import type { TeamConfig } from './config-check.ts';
import { toDay } from './day.ts';
import { qosWorkflow } from './qos-workflow.ts';
import { narrowConfig } from './run-plan.ts';
import { type RunState, runStates } from './run-state.ts';
import type { RunsStore, RunWithProgress } from './runs.store.ts';

export type RunWithState = RunWithProgress & { state: RunState };

export type ComputeRequest = {
  days: string[];
  /** These and what they need; all unless told. */
  labels?: string[] | undefined;
  /** Another configuration than the current one, for a trial. */
  config?: TeamConfig | undefined;
  isTrial: boolean;
};

/** How long the workflow of a run may take to appear before we say that it never will. */
const orphanedAfterMs = 60_000;

export type ComputeService = ReturnType<typeof createComputeService>;

/** Starts runs, one a day, and tells how they are getting on. */
export function createComputeService(deps: {
  runs: RunsStore;
  /** Throws where there is none. */
  getCurrentConfig: (teamId: string) => Promise<TeamConfig>;
  /** Throws where it cannot be used. */
  checkConfig: (teamId: string, config: TeamConfig) => Promise<void>;
  countsWholeDay: (teamId: string) => Promise<boolean>;
  startWorkflow: (request: StartRequest) => Promise<{ id: string }>;
  listStatuses: (instanceIds: string[]) => Promise<Map<string, string>>;
  newId: () => string;
  clock: Clock;
}) {
  const { runs, clock } = deps;

  async function compute(teamId: string, request: ComputeRequest, actor: Actor) {
    const { days, labels, isTrial } = request;
    refuseFuture(days);
    if (request.config && !isTrial) throw badRequest('Another configuration can only be tried: add "dry_run": true.');
    const config = request.config ?? (await deps.getCurrentConfig(teamId));
    if (request.config) await deps.checkConfig(teamId, config);
    for (const label of labels ?? []) {
      if (!Object.hasOwn(config, label)) throw badRequest(`The configuration has no query for the label ${label}.`);
    }
    const wanted = labels ? narrowConfig(config, labels) : config;
    const countsWholeDay = await deps.countsWholeDay(teamId);
    const started: { id: string; day: string; workflow: string }[] = [];
    for (const day of days) {
      const id = deps.newId();
      const run = { team_id: teamId, id, day, config: wanted, counts_whole_day: countsWholeDay, is_trial: isTrial };
      await runs.create({ ...run, started_at: new Date(clock()) }, actor);
      const payload = { team: teamId, run: id, day };
      const { id: instance } = await deps.startWorkflow({ fullname: qosWorkflow, payload, actor });
      await runs.noteInstance(teamId, id, instance);
      started.push({ id, day, workflow: instance });
    }
    return started;
  }

  function refuseFuture(days: string[]): void {
    const today = toDay(clock() / 1000);
    const future = days.find((day) => day > today);
    if (future !== undefined) throw badRequest(`The day ${future} has not begun yet (in UTC); today is ${today}.`);
  }

  async function withStates(found: RunWithProgress[]): Promise<RunWithState[]> {
    const open = found.filter((run) => run.finished_at === null);
    const statuses = await deps.listStatuses(open.flatMap(({ instance_id: id }) => id ?? []));
    return found.map((run) => ({ ...run, state: stateOf(run, statuses) }));
  }

  function stateOf(run: RunWithProgress, statuses: Map<string, string>): RunState {
    if (run.finished_at !== null) return 'success';
    const status = run.instance_id === null ? undefined : statuses.get(run.instance_id);
    const state = runStates.find((one) => one === status);
    if (state !== undefined) return state;
    const isYoung = run.instance_id === null && clock() - run.started_at.getTime() < orphanedAfterMs;
    return isYoung ? 'pending' : 'error';
  }

  return {
    compute,

    async list(teamId: string, page: { limit: number; day: string | undefined }): Promise<RunWithState[]> {
      return withStates(await runs.list(teamId, page));
    },

    async get(teamId: string, id: string): Promise<RunWithState> {
      const run = await runs.find(teamId, id);
      if (!run) throw notFound('There is no such run; GET …/qos/runs lists them.');
      return (await withStates([run]))[0];
    },
  };
}
