import { z } from 'zod';
import { badRequest, notFound } from '../errors.ts';
import { actorOf } from '../http/authentication.ts';
import { isUuid, pathId, queryInteger } from '../http/schemas.ts';
import type { Server } from '../http/server.ts';
import type { ComputeService, RunWithState } from './compute.service.ts';
import type { TeamConfig } from './config-check.ts';
import { daysBetween } from './day.ts';
import { computeBody, queryDay, runDetail, runList, startedRuns } from './qos.schemas.ts';
import type { ResultsStore } from './results.store.ts';

const maxDays = 92;
const maxRuns = 1000;
const changedNodes = 20;

/** Computing days, and how that is getting on. */
export function registerRunRoutes(
  app: Server,
  deps: {
    compute: ComputeService;
    results: Pick<ResultsStore, 'compareTrial'>;
    getConfig: (teamId: string, id: string) => Promise<TeamConfig>;
  },
): void {
  const { compute } = deps;
  const tags = ['Quality of service'];
  const params = z.object({ team_id: pathId('Team id') });

  app.post('/v1/teams/:team_id/qos/compute', {
    config: { access: { scope: 'Write', team: 'editor' } },
    schema: {
      tags,
      summary: 'Compute a day, or several; a day that was computed before is replaced',
      description: `At most ${maxDays} days at once. Each is a workflow that goes on by itself; see GET …/qos/runs/{id}.`,
      params,
      body: computeBody,
      response: { 201: startedRuns },
    },
    handler: async (request, reply) => {
      const { team_id: teamId } = request.params;
      const { day, start, end, labels, config, dry_run: isTrial } = request.body;
      const days = day === undefined ? daysBetween(start ?? '', end ?? '') : [day];
      if (days.length === 0) throw badRequest('"start" must not come after "end".');
      if (days.length > maxDays) throw badRequest(`At most ${maxDays} days can be computed at once.`);
      const tried = typeof config === 'string' ? await deps.getConfig(teamId, config) : config;
      const call = { days, labels, config: tried, isTrial };
      return reply.code(201).send({ runs: await compute.compute(teamId, call, actorOf(request)) });
    },
  });

  app.get('/v1/teams/:team_id/qos/runs', {
    config: { access: { scope: 'Read', team: 'member' } },
    schema: {
      tags,
      summary: 'Computations, newest first',
      params,
      querystring: z.object({
        day: queryDay('Only of this day').optional(),
        limit: queryInteger(`At most so many, up to ${maxRuns}; 50 unless told`).optional(),
      }),
      response: { 200: runList },
    },
    handler: async ({ params: { team_id: teamId }, query: { day, limit = 50 } }) => ({
      runs: (await compute.list(teamId, { day, limit: Math.min(limit, maxRuns) })).map(toSummary),
    }),
  });

  app.get('/v1/teams/:team_id/qos/runs/:id', {
    config: { access: { scope: 'Read', team: 'member' } },
    schema: {
      tags,
      summary: 'One computation, and for a trial what would change',
      params: params.extend({ id: pathId('Run id') }),
      response: { 200: runDetail },
    },
    handler: async ({ params: { team_id: teamId, id } }) => {
      if (!isUuid(id)) throw notFound('There is no such run; GET …/qos/runs lists them.');
      const run = await compute.get(teamId, id);
      const isCompared = run.is_trial && run.state === 'success';
      const changes = isCompared && (await deps.results.compareTrial(teamId, id, run.day, changedNodes));
      return {
        ...toSummary(run),
        config: run.config,
        counts_whole_day: run.counts_whole_day,
        ...(changes && { changes }),
      };
    },
  });
}

const toSummary = (run: RunWithState) => ({
  id: run.id,
  day: run.day,
  state: run.state,
  dry_run: run.is_trial,
  labels: Object.keys(run.config),
  workflow: run.instance_id,
  started_at: run.started_at.toISOString(),
  finished_at: run.finished_at?.toISOString() ?? null,
  progress: { chunks: run.chunks, done: run.done, nodes: run.nodes },
});
