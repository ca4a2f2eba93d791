import { z } from 'zod';
import { pathId, queryInteger } from '../http/schemas.ts';
import type { Server } from '../http/server.ts';
import type { ExplanationService } from './explanation.service.ts';
import { explanation, history, queryDay, queryLabel, queryName, statistics, worstNodes } from './qos.schemas.ts';
import { historyCsv, type ResultsService, round } from './results.service.ts';

const maxWorst = 10_000;
const maxDepth = 20;

/** What came of it: figures over time, the worst nodes, and why. */
export function registerResultRoutes(
  app: Server,
  deps: { results: ResultsService; explanations: ExplanationService },
): void {
  const { results, explanations } = deps;
  const tags = ['Quality of service'];
  const config = { access: { scope: 'Read', team: 'member' } } as const;
  const params = z.object({ team_id: pathId('Team id') });
  const range = {
    start: queryDay('First day; thirty days before the last unless told').optional(),
    end: queryDay('Last day; today unless told').optional(),
  };

  app.get('/v1/teams/:team_id/qos', {
    config,
    schema: {
      tags,
      summary: 'Figures of a label, or of one node of it, day by day',
      description:
        'Days that were never computed are left out. With format=csv the answer is text/csv, a line for each day.',
      params,
      querystring: z.object({
        label: queryLabel,
        name: queryName.optional(),
        ...range,
        format: z.enum(['json', 'csv'], 'must be json or csv').optional().meta({ description: 'json unless told' }),
      }),
      response: { 200: history },
    },
    handler: async (request, reply) => {
      const { format, ...of } = request.query;
      const found = await results.history(request.params.team_id, of);
      if (format === 'csv')
        return reply
          .type('text/csv; charset=utf-8')
          .serializer(String)
          .send(historyCsv(found) as never); // documented in words
      return { ...found, data: found.data.map((row) => ({ ...row, coverage: round(row.coverage) })) };
    },
  });

  app.get('/v1/teams/:team_id/qos/worst', {
    config,
    schema: {
      tags,
      summary: 'The nodes of a label with the lowest figures of a day',
      params,
      querystring: z.object({
        label: queryLabel,
        day: queryDay('The newest day with figures unless told').optional(),
        limit: queryInteger(`At most so many, up to ${maxWorst}; 10 unless told`).optional(),
      }),
      response: { 200: worstNodes },
    },
    handler: async ({ params: { team_id: teamId }, query: { limit = 10, ...of } }) => {
      const { data, ...rest } = await results.worst(teamId, { ...of, limit: Math.min(limit, maxWorst) });
      return { ...rest, data: data.map((row) => ({ ...row, coverage: round(row.coverage) })) };
    },
  });

  app.get('/v1/teams/:team_id/qos/explain', {
    config,
    schema: {
      tags,
      summary: 'Why a node has its figure: the tree down to the checks, what cost most first',
      params,
      querystring: z.object({
        label: queryLabel,
        name: queryName,
        day: queryDay('The newest day with figures unless told').optional(),
        depth: queryInteger(`How many steps down, up to ${maxDepth}; 6 unless told`).optional(),
      }),
      response: { 200: explanation },
    },
    handler: ({ params: { team_id: teamId }, query: { depth = 6, ...of } }) =>
      explanations.explain(teamId, { ...of, depth: Math.min(depth, maxDepth) }),
  });

  app.get('/v1/teams/:team_id/statistics', {
    config,
    schema: {
      tags,
      summary: 'Each label with its nodes, its query and its figures',
      params,
      querystring: z.object(range),
      response: { 200: statistics },
    },
    handler: ({ params: { team_id: teamId }, query }) => results.statistics(teamId, query),
  });
}
