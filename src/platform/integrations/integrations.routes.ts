import { z } from 'zod';
import { notFound } from '../../errors.ts';
import { ingestResult } from '../../graph/graph.schemas.ts';
import { actorOf } from '../../http/authentication.ts';
import { emptyObject, isUuid, pathId } from '../../http/schemas.ts';
import type { Server } from '../../http/server.ts';
import {
  integration,
  integrationChange,
  integrationList,
  integrationTest,
  newIntegration,
} from './integrations.schemas.ts';
import { type IntegrationsService, shownConfig } from './integrations.service.ts';
import type { IntegrationRow } from './integrations.store.ts';

export function registerIntegrationRoutes(
  app: Server,
  deps: {
    integrations: Omit<IntegrationsService, 'import'> & {
      import(...call: Parameters<IntegrationsService['import']>): Promise<z.infer<typeof ingestResult>>;
    };
  },
): void {
  const { integrations } = deps;
  const tags = ['Integrations'];
  const params = z.object({ team_id: pathId('Team id') });
  const one = params.extend({ id: pathId('Integration id') });

  app.get('/v1/teams/:team_id/integrations', {
    config: { access: { scope: 'Read', team: 'member' } },
    schema: { tags, summary: "The team's integrations, by name", params, response: { 200: integrationList } },
    handler: async (request) => ({
      integrations: (await integrations.list(request.params.team_id)).map(toIntegration),
    }),
  });

  app.post('/v1/teams/:team_id/integrations', {
    config: { access: { scope: 'Write', team: 'manager' } },
    schema: {
      tags,
      summary: 'A model with a configuration',
      params,
      body: newIntegration,
      response: { 201: integration },
    },
    handler: async (request, reply) =>
      reply
        .code(201)
        .send(toIntegration(await integrations.create(request.params.team_id, request.body, actorOf(request)))),
  });

  app.get('/v1/teams/:team_id/integrations/:id', {
    config: { access: { scope: 'Read', team: 'member' } },
    schema: { tags, summary: 'One integration', params: one, response: { 200: integration } },
    handler: async ({ params }) => toIntegration(await integrations.get(params.team_id, idOf(params.id))),
  });

  app.put('/v1/teams/:team_id/integrations/:id', {
    config: { access: { scope: 'Write', team: 'manager' } },
    schema: {
      tags,
      summary: 'Change an integration',
      params: one,
      body: integrationChange,
      response: { 200: integration },
    },
    handler: async (request) => {
      const { team_id, id } = request.params;
      return toIntegration(await integrations.update(team_id, idOf(id), request.body, actorOf(request)));
    },
  });

  app.delete('/v1/teams/:team_id/integrations/:id', {
    config: { access: { scope: 'Write', team: 'manager' } },
    schema: { tags, summary: 'Delete an integration', params: one, response: { 200: emptyObject } },
    handler: async (request) => {
      await integrations.delete(request.params.team_id, idOf(request.params.id), actorOf(request));
      return {};
    },
  });

  app.post('/v1/teams/:team_id/integrations/:id/test', {
    config: { access: { scope: 'Write', team: 'editor' } },
    schema: {
      tags,
      summary: 'Does the configuration really connect?',
      params: one,
      response: { 200: integrationTest },
    },
    handler: ({ params }) => integrations.test(params.team_id, idOf(params.id)),
  });

  app.post('/v1/teams/:team_id/integrations/:id/import', {
    config: { access: { scope: 'Write', team: 'editor' } },
    schema: {
      tags,
      summary: "Fetch messages and add them to the team's graph",
      description: 'Only for integrations that import graphs. Answers when all is read.',
      params: one,
      response: { 200: ingestResult },
    },
    handler: (request) => integrations.import(request.params.team_id, idOf(request.params.id), actorOf(request)),
  });
}

function idOf(id: string): string {
  if (!isUuid(id)) throw notFound('There is no such integration; GET …/integrations lists them.');
  return id;
}

function toIntegration(row: IntegrationRow) {
  return {
    id: row.id,
    name: row.name,
    model: row.model,
    config: shownConfig(row),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    created_by: row.created_by,
  };
}
