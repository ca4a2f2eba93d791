import { z } from 'zod';
import type { Clock } from '../clock.ts';
import { pathId, queryBoolean, queryInteger, queryText } from '../http/schemas.ts';
import type { Server } from '../http/server.ts';
import { foundNodes, graphOverview, impactTotals, neighbourPage } from './explore.schemas.ts';
import { atLeast, sendStream, sendValue, startOfDay, teamOf } from './graph.routes.ts';
import type { GraphService } from './graph.service.ts';

/** What the page's explorer asks: each a bounded answer to one question about a graph of any size. */
export function registerExploreRoutes(app: Server, deps: { graph: GraphService; clock: Clock }): void {
  const { graph } = deps;
  const now = (): number => Math.floor(deps.clock() / 1000);
  const tags = ['Graph'];
  const config = { access: { scope: 'Read', team: 'member' } } as const;
  const params = z.object({ team_id: pathId('Team id') });
  const node = z.object({ label: queryText('Label of the node'), name: queryText('Name of the node') });

  app.get('/v1/teams/:team_id/graph/search', {
    config,
    schema: {
      tags,
      summary: 'Nodes of any label whose name contains a text',
      params,
      querystring: z.object({
        q: queryText(
          'Part of a name; ASCII letters in either case. Equal names come first, then those that begin with it',
        ),
        limit: limited(50, 'At most so many, up to 50; 20 unless told').optional(),
      }),
      response: { 200: foundNodes },
    },
    handler: async (request, reply) => {
      const question = { kind: 'search', text: request.query.q, limit: request.query.limit ?? 20 } as const;
      return sendValue(reply, await graph.query(teamOf(request), question, atLeast(request)));
    },
  });

  app.get('/v1/teams/:team_id/graph/neighbours', {
    config,
    schema: {
      tags,
      summary: "A node's direct neighbours in pages, and how many each label has",
      params,
      querystring: node.extend({
        direction: z
          .enum(['dependencies', 'impacted'], 'must be dependencies or impacted')
          .optional()
          .meta({ description: 'What it depends on, or what depends on it; dependencies unless told' }),
        neighbour_label: queryText('Only neighbours of this label; all unless told').optional(),
        per_label: queryInteger('At most so many of each label; all unless told').optional(),
        skip: queryInteger('How many to skip; 0 unless told').optional(),
        limit: limited(500, 'At most so many, up to 500; 25 unless told').optional(),
        day: queryText('YYYY-MM-DD in UTC; today unless told').optional(),
        inactive: queryBoolean('Also what is not active on that day').optional(),
      }),
      response: { 200: neighbourPage },
    },
    handler: async (request, reply) => {
      const { label, name, direction, day, inactive = false, skip = 0, limit = 25 } = request.query;
      const dayFrom = startOfDay(day, now());
      const question = {
        kind: 'neighbours',
        label,
        name,
        direction: direction === 'impacted' ? 'in' : 'out',
        neighbourLabel: request.query.neighbour_label,
        perLabel: request.query.per_label,
        skip,
        limit,
        dayFrom,
        dayTo: dayFrom + 86_399,
        inactive,
      } as const;
      return sendValue(reply, await graph.query(teamOf(request), question, atLeast(request)));
    },
  });

  app.get('/v1/teams/:team_id/graph/impact', {
    config,
    schema: {
      tags,
      summary: 'How many nodes break with a node, by label',
      params,
      querystring: node.extend({
        ts: queryInteger('Unix second at which `active` is evaluated; now unless told').optional(),
      }),
      response: { 200: impactTotals },
    },
    handler: async (request, reply) => {
      const { label, name, ts = now() } = request.query;
      const question = { kind: 'impactTotals', label, name, ts } as const;
      return sendValue(reply, await graph.query(teamOf(request), question, atLeast(request)));
    },
  });

  app.get('/v1/teams/:team_id/graph/overview', {
    config,
    schema: {
      tags,
      summary: 'The whole graph in few bytes, to be drawn',
      params,
      querystring: z.object({
        limit: limited(1_000_000, 'At most so many nodes, up to 1,000,000; 100,000 unless told').optional(),
      }),
      response: { 200: graphOverview },
    },
    handler: async (request, reply) => {
      const question = { kind: 'overview', limit: request.query.limit ?? 100_000 } as const;
      return sendStream(reply, await graph.stream(teamOf(request), question, atLeast(request)));
    },
  });
}

const limited = (most: number, description: string) =>
  queryInteger(description).refine((limit) => limit <= most, `must be at most ${most}`);
