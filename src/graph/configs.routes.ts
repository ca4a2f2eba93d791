import { z } from 'zod';
import { notFound } from '../errors.ts';
import { actorOf } from '../http/authentication.ts';
import { isUuid, pathId } from '../http/schemas.ts';
import type { Server } from '../http/server.ts';
import type { ConfigsService } from './configs.service.ts';
import type { ConfigRow } from './configs.store.ts';
import { configList, configVersion, teamConfig } from './graph.schemas.ts';

export function registerConfigRoutes(app: Server, deps: { configs: ConfigsService }): void {
  const { configs } = deps;
  const tags = ['Configuration'];
  const params = z.object({ team_id: pathId('Team id') });

  app.get('/v1/teams/:team_id/configs', {
    config: { access: { scope: 'Read', team: 'member' } },
    schema: { tags, summary: 'All versions of the configuration, newest first', params, response: { 200: configList } },
    handler: async (request) => ({ configs: (await configs.list(request.params.team_id)).map(toConfig) }),
  });

  app.post('/v1/teams/:team_id/configs', {
    config: { access: { scope: 'Write', team: 'manager' } },
    schema: {
      tags,
      summary: 'A new version of the configuration, which becomes the current one',
      params,
      body: teamConfig,
      response: { 201: configVersion },
    },
    handler: async (request, reply) =>
      reply.code(201).send(toConfig(await configs.create(request.params.team_id, request.body, actorOf(request)))),
  });

  app.get('/v1/teams/:team_id/configs/current', {
    config: { access: { scope: 'Read', team: 'member' } },
    schema: { tags, summary: 'The current version', params, response: { 200: configVersion } },
    handler: async (request) => toConfig(await configs.getCurrent(request.params.team_id)),
  });

  const one = params.extend({ id: pathId('Configuration id') });
  app.get('/v1/teams/:team_id/configs/:id', {
    config: { access: { scope: 'Read', team: 'member' } },
    schema: { tags, summary: 'One version', params: one, response: { 200: configVersion } },
    handler: async (request) => toConfig(await configs.get(request.params.team_id, configIdOf(request.params.id))),
  });

  app.put('/v1/teams/:team_id/configs/:id/apply', {
    config: { access: { scope: 'Write', team: 'manager' } },
    schema: { tags, summary: 'Make a version the current one', params: one, response: { 200: configVersion } },
    handler: async (request) =>
      toConfig(await configs.apply(request.params.team_id, configIdOf(request.params.id), actorOf(request))),
  });
}

function configIdOf(id: string): string {
  if (!isUuid(id)) throw notFound('There is no such configuration; GET …/configs lists them.');
  return id;
}

function toConfig(row: ConfigRow) {
  return {
    id: row.id,
    number: row.number,
    current: row.is_current,
    config: row.config,
    created_at: row.created_at.toISOString(),
    created_by: row.created_by,
  };
}
