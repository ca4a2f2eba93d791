import { z } from 'zod';
import { notFound } from '../errors.ts';
import { actorOf } from '../http/authentication.ts';
import { emptyObject, isUuid, pathId } from '../http/schemas.ts';
import type { Server } from '../http/server.ts';
import type { ChecksService, GivenCheck } from './checks.service.ts';
import type { CheckRow } from './checks.store.ts';
import { check, checkChange, checkList, newCheck } from './qos-settings.schemas.ts';
import { parseThreshold, printThreshold } from './threshold.ts';

export function registerCheckRoutes(app: Server, { checks }: { checks: ChecksService }): void {
  const tags = ['Quality of service'];
  const params = z.object({ team_id: pathId('Team id') });
  const one = params.extend({ id: pathId('Check id') });
  const reads = { access: { scope: 'Read', team: 'member' } } as const;
  const writes = { access: { scope: 'Write', team: 'editor' } } as const;

  app.get('/v1/teams/:team_id/checks', {
    config: reads,
    schema: { tags, summary: 'All checks, by name', params, response: { 200: checkList } },
    handler: async ({ params }) => ({ checks: (await checks.list(params.team_id)).map(toCheck) }),
  });

  app.post('/v1/teams/:team_id/checks', {
    config: writes,
    schema: {
      tags,
      summary: 'A new check: a query on a source, and which values are good',
      params,
      body: newCheck,
      response: { 201: check },
    },
    handler: async (request, reply) => {
      const { threshold, fill, ...rest } = request.body;
      const given = { ...rest, ...boundsOf(threshold), is_filled: fill };
      return reply.code(201).send(toCheck(await checks.create(request.params.team_id, given, actorOf(request))));
    },
  });

  app.get('/v1/teams/:team_id/checks/:id', {
    config: reads,
    schema: { tags, summary: 'One check', params: one, response: { 200: check } },
    handler: async ({ params }) => toCheck(await checks.get(params.team_id, idOf(params.id))),
  });

  app.put('/v1/teams/:team_id/checks/:id', {
    config: writes,
    schema: {
      tags,
      summary: 'Change a check; what is left out stays',
      params: one,
      body: checkChange,
      response: { 200: check },
    },
    handler: async (request) => {
      const { team_id, id } = request.params;
      const { threshold, fill, ...rest } = request.body;
      const given: Partial<GivenCheck> = { ...rest, ...(threshold === undefined ? {} : boundsOf(threshold)) };
      if (fill !== undefined) given.is_filled = fill;
      return toCheck(await checks.update(team_id, idOf(id), given, actorOf(request)));
    },
  });

  app.delete('/v1/teams/:team_id/checks/:id', {
    config: writes,
    schema: { tags, summary: 'Delete a check and its measurements', params: one, response: { 200: emptyObject } },
    handler: async (request) => {
      await checks.delete(request.params.team_id, idOf(request.params.id), actorOf(request));
      return {};
    },
  });
}

function boundsOf(threshold: number | string) {
  const bounds = parseThreshold(threshold);
  if (typeof bounds === 'string') throw new Error(bounds); // the schema has refused it
  return bounds;
}

function idOf(id: string): string {
  if (!isUuid(id)) throw notFound('There is no such check; GET …/checks lists them.');
  return id;
}

function toCheck(row: CheckRow) {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    source: row.source_id,
    source_name: row.source_name,
    query: row.query,
    threshold: printThreshold(row),
    fill: row.is_filled,
    variables: row.variables,
    rules: row.rules,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
