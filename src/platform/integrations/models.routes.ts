import { z } from 'zod';
import { actorOf } from '../../http/authentication.ts';
import { emptyObject } from '../../http/schemas.ts';
import type { Server } from '../../http/server.ts';
import {
  integrationModel,
  integrationModelChange,
  integrationModelList,
  newIntegrationModel,
} from './models.schemas.ts';
import type { ModelsService } from './models.service.ts';

export function registerModelRoutes(app: Server, deps: { models: ModelsService }): void {
  const { models } = deps;
  const tags = ['Integrations'];
  const params = z.object({ name: z.string().meta({ description: 'Name of the model' }) });

  app.get('/integration/models', {
    config: { access: { scope: 'Read' } },
    schema: { tags, summary: 'What can be plugged in', response: { 200: integrationModelList } },
    handler: () => models.list(),
  });

  app.get('/integration/models/:name', {
    config: { access: { scope: 'Read' } },
    schema: { tags, summary: 'One integration model', params, response: { 200: integrationModel } },
    handler: (request) => models.get(request.params.name),
  });

  app.post('/integration/models', {
    config: { access: { scope: 'Admin' } },
    schema: { tags, summary: 'Add a model', body: newIntegrationModel, response: { 201: integrationModel } },
    handler: async (request, reply) => reply.code(201).send(await models.create(request.body, actorOf(request))),
  });

  app.put('/integration/models/:name', {
    config: { access: { scope: 'Admin' } },
    schema: {
      tags,
      summary: 'Replace a model, or switch one off or on with {"disabled": …} alone',
      params,
      body: integrationModelChange,
      response: { 200: integrationModel },
    },
    handler: (request) => models.change(request.params.name, request.body, actorOf(request)),
  });

  app.delete('/integration/models/:name', {
    config: { access: { scope: 'Admin' } },
    schema: { tags, summary: 'Delete a model that nobody uses', params, response: { 200: emptyObject } },
    handler: async (request) => {
      await models.delete(request.params.name, actorOf(request));
      return {};
    },
  });
}
