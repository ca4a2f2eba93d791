import { randomInt } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Clock } from '../clock.ts';
import { badRequest } from '../errors.ts';
import { actorOf } from '../http/authentication.ts';
import { emptyObject, pathId, queryBoolean, queryInteger, queryText } from '../http/schemas.ts';
import type { Server } from '../http/server.ts';
import { labelsOf, parseQuery } from '../qos/query.ts';
import type { ConfigsService } from './configs.service.ts';
import { count, impactedList, labelList, nodeNames, nodeWithDependencies } from './graph.schemas.ts';
import type { GraphService } from './graph.service.ts';
import type { Answer } from './model/protocol.ts';

/** The eight routes of §4.2. Node names may contain slashes: `node-path.ts` makes one path segment of them before routing. */
export function registerGraphRoutes(
  app: Server,
  deps: { graph: GraphService; configs: ConfigsService; clock: Clock },
): void {
  const { graph, configs } = deps;
  const now = (): number => Math.floor(deps.clock() / 1000);
  const tags = ['Graph'];
  const reader = { access: { scope: 'Read', team: 'member' } } as const;
  const team = z.object({ team_id: pathId('Team id') });
  const label = team.extend({ label: z.string().meta({ description: 'Label' }) });
  const node = label.extend({
    node: z.string().meta({ description: 'Name of the node; raw slashes may be part of it' }),
  });
  const ts = queryInteger('Unix second at which `active` is evaluated; now unless told').optional();
  const impactedLabel = queryText('Label of the impacted nodes; all unless told').optional();

  app.get('/v1/teams/:team_id/labels', {
    config: reader,
    schema: {
      tags,
      summary: 'Labels of the graph and of the configuration',
      params: team,
      response: { 200: labelList },
    },
    handler: async (request) => {
      const teamId = teamOf(request);
      const [labels, config] = await Promise.all([
        graph.listLabels(teamId, atLeast(request)),
        configs.findCurrent(teamId),
      ]);
      const counts = new Map(labels.map((entry) => [entry.name, entry.nodes_count]));
      const names = [...new Set([...counts.keys(), ...Object.keys(config?.config ?? {})])].toSorted();
      return names.map((name) => ({
        name,
        nodes_count: counts.get(name) ?? 0,
        qos_query: config?.config[name]?.qos ?? null,
      }));
    },
  });

  app.get('/v1/teams/:team_id/labels/:label/nodes', {
    config: reader,
    schema: {
      tags,
      summary: 'Names of the nodes of a label',
      params: label,
      querystring: z.object({
        name: queryText('Only names that contain this text').optional(),
        limit: queryInteger('At most so many; all unless told').optional(),
        random: queryBoolean('Draw at random instead of in order').optional(),
      }),
      response: { 200: nodeNames },
    },
    handler: async (request, reply) => {
      const { name, limit, random } = request.query;
      const question = {
        kind: 'nodes',
        label: request.params.label,
        name,
        limit,
        seed: random ? randomInt(2 ** 32) : undefined,
      } as const;
      return sendStream(reply, await graph.stream(teamOf(request), question, atLeast(request)));
    },
  });

  app.get('/v1/teams/:team_id/labels/:label/nodes/:node', {
    config: reader,
    schema: {
      tags,
      summary: 'A node with its direct dependencies',
      params: node,
      querystring: z.object({
        alone: queryBoolean('Without dependencies and graph').optional(),
        day: queryText('YYYY-MM-DD in UTC; today unless told').optional(),
        config: queryBoolean("Only labels named in this label's qos_query").optional(),
        inactive: queryBoolean('Also what is not active on that day').optional(),
        impacted: queryBoolean('What depends on this node, instead of what it depends on').optional(),
      }),
      response: { 200: nodeWithDependencies },
    },
    handler: async (request, reply) => {
      const { alone = false, inactive = false, impacted = false, day, config = false } = request.query;
      const teamId = teamOf(request);
      const dayFrom = startOfDay(day, now());
      const onlyLabels = config ? await labelsInConfig(configs, teamId, request.params.label) : undefined;
      const question = {
        kind: 'node',
        ...nodeOf(request.params),
        dayFrom,
        dayTo: dayFrom + 86_399,
        alone,
        inactive,
        impacted,
        onlyLabels,
      } as const;
      return sendStream(reply, await graph.stream(teamId, question, atLeast(request)));
    },
  });

  app.delete('/v1/teams/:team_id/labels/:label/nodes/:node', {
    config: { access: { scope: 'Write', team: 'manager' } },
    schema: {
      tags,
      summary: 'Delete a node',
      params: node,
      querystring: z.object({ detach: queryBoolean('Remove its relationships too').optional() }),
      response: { 200: emptyObject },
    },
    handler: async (request, reply) => {
      const { label, name } = nodeOf(request.params);
      const version = await graph.deleteNode(
        teamOf(request),
        label,
        name,
        request.query.detach ?? false,
        actorOf(request),
      );
      void reply.header('x-graph-version', version);
      return {};
    },
  });

  app.get('/v1/teams/:team_id/labels/:label/nodes/:node/count', {
    config: reader,
    schema: { tags, summary: 'How many nodes it depends on directly', params: node, response: { 200: count } },
    handler: async (request, reply) =>
      sendValue(
        reply,
        await graph.query(teamOf(request), { kind: 'count', ...nodeOf(request.params) }, atLeast(request)),
      ),
  });

  app.get('/v1/teams/:team_id/labels/:label/nodes/:node/impacted', {
    config: reader,
    schema: {
      tags,
      summary: 'What breaks with this node, in pages',
      params: node,
      querystring: z.object({
        impactedLabel,
        skip: queryInteger('How many to skip; 0 unless told').optional(),
        limit: queryInteger('At most so many; 25 unless told').optional(),
        ts,
        inactive: queryBoolean('Also those that are not active; true unless told').optional(),
      }),
      response: { 200: impactedList },
    },
    handler: async (request, reply) => {
      const { impactedLabel, skip = 0, limit = 25, ts = now(), inactive = true } = request.query;
      const page = { impactedLabel, skip, limit, ts, onlyActive: !inactive };
      const question = { kind: 'impacted', ...nodeOf(request.params), ...page } as const;
      if (limit > largestPage)
        return sendStream(reply, await graph.stream(teamOf(request), question, atLeast(request)));
      return sendBytes(reply, await graph.query(teamOf(request), question, atLeast(request)));
    },
  });

  app.get('/v1/teams/:team_id/labels/:label/nodes/:node/impacted/all', {
    config: reader,
    schema: {
      tags,
      summary: 'What breaks with this node, all of it',
      params: node,
      querystring: z.object({ impactedLabel, ts, inactive: queryBoolean('Also those that are not active').optional() }),
      response: { 200: impactedList },
    },
    handler: async (request, reply) => {
      const { impactedLabel, ts = now(), inactive = false } = request.query;
      const question = { kind: 'impactedAll', ...nodeOf(request.params), impactedLabel, ts, inactive } as const;
      return sendStream(reply, await graph.stream(teamOf(request), question, atLeast(request)));
    },
  });

  app.get('/v1/teams/:team_id/labels/:label/nodes/:node/impacted/count', {
    config: reader,
    schema: {
      tags,
      summary: 'How many nodes break with this one',
      params: node,
      querystring: z.object({ impactedLabel }),
      response: { 200: count },
    },
    handler: async (request, reply) => {
      const question = {
        kind: 'impactedCount',
        ...nodeOf(request.params),
        impactedLabel: request.query.impactedLabel,
      } as const;
      return sendValue(reply, await graph.query(teamOf(request), question, atLeast(request)));
    },
  });
}

/** Up to this many rows are one message from the thread that walks; more are streamed. */
const largestPage = 500;

export const teamOf = (request: { params: { team_id: string } }): string => request.params.team_id.toLowerCase();

const nodeOf = (params: { label: string; node: string }) => ({ label: params.label, name: params.node });

/** X-Graph-Version: "at least this". */
export function atLeast(request: Pick<FastifyRequest, 'headers'>): number | undefined {
  const header = request.headers['x-graph-version'];
  if (header === undefined) return undefined;
  if (typeof header !== 'string' || !/^\d{1,15}$/.test(header))
    throw badRequest('The header X-Graph-Version must be a version as a write returned it.');
  return Number(header);
}

/** The first second of a day such as 2026-11-15, or of the one in which `now` lies. */
export function startOfDay(day: string | undefined, now: number): number {
  if (day === undefined) return Math.floor(now / 86_400) * 86_400;
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  // Date.parse takes 2026-02-31 for a day in March.
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== day) {
    throw badRequest('The parameter "day" must be a day such as 2026-11-15.', [
      { path: 'day', message: 'must be YYYY-MM-DD' },
    ]);
  }
  return ms / 1000;
}

async function labelsInConfig(configs: ConfigsService, teamId: string, label: string): Promise<string[]> {
  const current = await configs.findCurrent(teamId);
  const parsed = parseQuery(current?.config[label]?.qos ?? '');
  return 'query' in parsed ? labelsOf(parsed.query) : [];
}

const json = 'application/json; charset=utf-8';
type Answered = { version: number };
type Streamed = Answered & { chunks: AsyncIterable<Uint8Array> };

export function sendStream(reply: FastifyReply, answer: Streamed): FastifyReply {
  return reply
    .header('x-graph-version', answer.version)
    .type(json)
    .send(Readable.from(answer.chunks, { objectMode: false }));
}

/** As text, which goes out together with the head in one write; the same answer is turned into text once, however often it is sent. */
function sendBytes(reply: FastifyReply, answer: Answer): FastifyReply {
  let text = texts.get(answer);
  if (text === undefined) texts.set(answer, (text = Buffer.from(answer.bytes ?? new Uint8Array(0)).toString()));
  return reply.header('x-graph-version', answer.version).type(json).send(text);
}
const texts = new WeakMap<Answer, string>();

/** As text: there is nothing left to serialise or to look at. */
export function sendValue(reply: FastifyReply, answer: Answer): FastifyReply {
  return reply.header('x-graph-version', answer.version).type(json).send(JSON.stringify(answer.value));
}
