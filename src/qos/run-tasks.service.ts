import { z } from 'zod';
import type { Clock } from '../clock.ts';
import { FaultlineError } from '../errors.ts';
import { qosComputeWith } from '../workflows/built-ins.ts';
import { workflowActor } from '../workflows/service-tasks.service.ts';
import type { ServiceTask, StepOutcome } from '../workflows/steps.service.ts';
import type { ChunkService } from './chunk.service.ts';
import { createChunkSignals } from './chunk-signals.ts';
import type { ComputeService } from './compute.service.ts';
import { addDays, isDay, toDay } from './day.ts';
import type { FinishService } from './finish.service.ts';
import { chunkSizes, type PlannedChunk, stageLabels } from './run-plan.ts';
import type { Run, RunsStore } from './runs.store.ts';

const ofRun = z.object({ team: z.string(), run: z.string() });
const ofChunk = ofRun.extend({ chunk: z.int() });
/** What `qos.compute` remembers while it waits. */
const waiting = z.object({ team: z.string(), run: z.string(), figures: z.boolean() });

const lookAgainAfterSeconds = { chunk: 0.3, run: 1 };
const waitMs = 500;
const keepMs = { trials: 86_400_000, chunks: 30 * 86_400_000 };

type Deps = {
  runs: RunsStore;
  chunks: ChunkService;
  finish: FinishService;
  compute: Pick<ComputeService, 'compute' | 'get'>;
  findTeam: (nameOrId: string) => Promise<string | undefined>;
  listLabels: (teamId: string) => Promise<{ name: string; nodes_count: number }[]>;
  /** The first id of each piece of so many nodes. */
  cutLabel: (teamId: string, label: string, every: number) => Promise<number[]>;
  findLabelValue: (teamId: string, label: string, day: string) => Promise<number | null>;
  /** Something of the instance has failed for good: what waits for it waits in vain. */
  isFailing: (instanceId: string) => Promise<boolean>;
  clock: Clock;
};

/**
 * The steps of `qos-workflow.ts`. Each may be tried again, by any process, at any time. Everybody who may read workflows sees their results
 * and logs, so nothing of a team stands there: no label, no figure.
 */
export function createRunTasks(deps: Deps): Record<string, ServiceTask> {
  const { runs, clock } = deps;
  const signals = createChunkSignals();

  async function getRun(of: { team: string; run: string }, instanceId: string): Promise<Run> {
    const run = await runs.find(of.team, of.run);
    if (!run) throw new Error('The run, or its team, has been deleted.');
    // It was relaunched, or retried.
    if (run.instance_id !== instanceId) await runs.noteInstance(of.team, of.run, instanceId);
    return run;
  }

  const plan: ServiceTask = async (call) => {
    const run = await getRun(ofRun.parse(call.with), call.context.id);
    const counts = new Map((await deps.listLabels(run.team_id)).map(({ name, nodes_count: count }) => [name, count]));
    const labels = stageLabels(run.config)
      .map((one) => ({ ...one, nodes: counts.get(one.label) ?? 0 }))
      .filter(({ nodes }) => nodes > 0);
    const sizes = chunkSizes(labels);
    const chunks: PlannedChunk[] = [];
    for (const [place, { label, stage }] of labels.entries()) {
      const starts = await deps.cutLabel(run.team_id, label, sizes[place]);
      for (const [index, fromNode] of starts.entries()) {
        chunks.push({ stage, label, fromNode, toNode: starts[index + 1] ?? null });
      }
    }
    const count = await runs.savePlan(run, call.context.id, chunks);
    call.log(`${count} chunks on ${run.day}`);
    return { done: { chunks: Array.from({ length: count }, (_, position) => position) } };
  };

  const chunk: ServiceTask = async (call) => {
    const { chunk: position, ...of } = ofChunk.parse(call.with);
    const run = await getRun(of, call.context.id);
    const found = await runs.findChunk(of.team, of.run, position);
    if (!found) throw new Error('The chunk has been deleted.');
    if (found.nodes !== null) return { done: null };
    if (!(await isStageReady(of, found.stage))) {
      if (await deps.isFailing(call.context.id)) return { failed: 'What it needs has failed.' };
      return { parked: { memo: { waits: true }, dueInSeconds: lookAgainAfterSeconds.chunk } };
    }
    await deps.chunks.compute(run, { ...found, position }, call.signal);
    signals.tell(run.id);
    return { done: null };
  };

  /** Most waits are short: it is not put away at once. */
  async function isStageReady(of: { team: string; run: string }, stage: number): Promise<boolean> {
    const until = performance.now() + waitMs;
    for (;;) {
      const done = signals.next(of.run, waitMs);
      if (await runs.isStageReady(of.team, of.run, stage)) return true;
      if (performance.now() >= until) return false;
      await done;
    }
  }

  const finish: ServiceTask = async (call) => {
    const run = await getRun(ofRun.parse(call.with), call.context.id);
    await deps.finish.finish(run);
    await runs.expireTrials(new Date(clock() - keepMs.trials));
    await runs.expireChunks(new Date(clock() - keepMs.chunks));
    return { done: null };
  };

  const teams: ServiceTask = async () => ({ done: await runs.listTeams() });

  /** For anybody's workflows: starts a run and waits until it has ended. */
  const compute: ServiceTask = async (call) => {
    if (call.memo !== null) return lookAtRun(waiting.parse(call.memo));
    const { team, day: wanted, labels, figures } = qosComputeWith.parse(call.with);
    const day = wanted === 'yesterday' ? addDays(toDay(clock() / 1000), -1) : wanted;
    if (!isDay(day)) return { failed: `"${day}" is no day such as 2026-11-14.` };
    const teamId = await deps.findTeam(team);
    if (teamId === undefined) return { failed: `There is no team "${team}".` };
    const [{ id }] = await deps.compute.compute(teamId, { days: [day], labels, isTrial: false }, workflowActor);
    return { parked: { memo: { team: teamId, run: id, figures }, dueInSeconds: lookAgainAfterSeconds.run } };
  };

  /** One team of many: what goes wrong there, and is told by its own run, must not keep the others from theirs. */
  const team: ServiceTask = async (call) => {
    const outcome = await compute(call).catch((error: unknown) => {
      if (error instanceof FaultlineError) return { failed: error.message };
      throw error;
    });
    // Why is for the team alone.
    return outcome !== 'waits' && 'failed' in outcome
      ? { done: { failed: 'The runs of the team tell why.' } }
      : outcome;
  };

  async function lookAtRun(memo: z.infer<typeof waiting>): Promise<StepOutcome> {
    const run = await deps.compute.get(memo.team, memo.run);
    if (run.state === 'success') {
      if (!memo.figures) return { done: { run: run.id, day: run.day } };
      const labels: Record<string, number | null> = {};
      for (const label of Object.keys(run.config)) labels[label] = await deps.findLabelValue(memo.team, label, run.day);
      return { done: { run: run.id, day: run.day, nodes: run.nodes, labels } };
    }
    if (run.state === 'pending' || run.state === 'progress') {
      return { parked: { memo, dueInSeconds: lookAgainAfterSeconds.run } };
    }
    return { failed: `The computation of ${run.day} ended as ${run.state}; see the instance ${run.instance_id}.` };
  }

  return {
    'qos.plan': retried(plan),
    'qos.chunk': retried(chunk),
    'qos.finish': retried(finish),
    'qos.teams': retried(teams),
    'qos.compute': retried(compute),
    'qos.team': retried(team),
  };
}

/** What goes wrong here is mostly the database or a thread gone for a moment; what a person has to mend is not tried again. */
const retried =
  (task: ServiceTask): ServiceTask =>
  async (call) =>
    task(call).catch((error: unknown) => {
      // The process is stopping: the task is handed back, which costs it no attempt. Nobody waits for an answer any more.
      if (call.signal.aborted) return new Promise(() => undefined);
      const failed = error instanceof Error ? error.message : String(error);
      return { failed, isRetryable: !(error instanceof FaultlineError) };
    });
