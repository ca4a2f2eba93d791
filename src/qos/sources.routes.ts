import { z } from 'zod';
import { notFound } from '../errors.ts';
import { actorOf } from '../http/authentication.ts';
import { emptyObject, isUuid, pathId } from '../http/schemas.ts';
import type { Server } from '../http/server.ts';
import { shownConfig } from '../platform/integrations/integrations.service.ts';
import { newSource, source, sourceChange, sourceList } from './qos-settings.schemas.ts';
import type { SourcesService } from './sources.service.ts';

export function registerSourceRoutes(app: Server, { sources }: { sources: SourcesService }): void {
  const tags = ['Quality of service'];
  const params = z.object({ team_id: pathId('Team id') });
  const one = params.extend({ id: pathId('Source id') });
  const reads = { access: { scope: 'Read', team: 'member' } } as const;
  const writes = { access: { scope: 'Write', team: 'editor' } } as const;

  app.get('/v1/teams/:team_id/sources', {
    config: reads,
    schema: { tags, summary: 'Where measurements come from, by name', params, response: { 200: sourceList } },
    handler: async ({ params }) => ({ sources: (await sources.list(params.team_id)).map(toSource) }),
  });

  app.post('/v1/teams/:team_id/sources', {
    config: writes,
    schema: {
      tags,
      summary: 'A new source: an integration whose model is for measurements, or `push`',
      params,
      body: newSource,
      response: { 201: source },
    },
    handler: async (request, reply) =>
      reply.code(201).send(toSource(await sources.create(request.params.team_id, request.body, actorOf(request)))),
  });

  app.get('/v1/teams/:team_id/sources/:id', {
    config: reads,
    schema: { tags, summary: 'One source', params: one, response: { 200: source } },
    handler: async ({ params }) => toSource(await sources.get(params.team_id, idOf(params.id))),
  });

  app.put('/v1/teams/:team_id/sources/:id', {
    config: writes,
    schema: {
      tags,
      summary: 'Change a source; what is left out stays',
      params: one,
      body: sourceChange,
      response: { 200: source },
    },
    handler: async (request) => {
      const { team_id, id } = request.params;
      return toSource(await sources.update(team_id, idOf(id), request.body, actorOf(request)));
    },
  });

  app.delete('/v1/teams/:team_id/sources/:id', {
    config: writes,
    schema: { tags, summary: 'Delete a source that no check uses', params: one, response: { 200: emptyObject } },
    handler: async (request) => {
      await sources.delete(request.params.team_id, idOf(request.params.id), actorOf(request));
      return {};
    },
  });
}

function idOf(id: string): string {
  if (!isUuid(id)) throw notFound('There is no such source; GET …/sources lists them.');
  return id;
}

function toSource(row: Awaited<ReturnType<SourcesService['get']>>) {
  return {
    id: row.id,
    name: row.name,
    model: row.model,
    config: shownConfig(row),
    variables: row.variables,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    created_by: row.created_by,
  };
}
