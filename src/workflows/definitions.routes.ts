import { z } from 'zod';
import { actorOf } from '../http/authentication.ts';
import { emptyObject } from '../http/schemas.ts';
import type { Server } from '../http/server.ts';
import type { Definitions } from './definitions/definitions.service.ts';
import type { InstancesService } from './instances.service.ts';
import type { SchedulesService } from './schedules.service.ts';
import { instanceText } from './wire.ts';
import { definition, definitionFault, instanceListItem } from './workflows.schemas.ts';

const tags = ['Workflows'];

/** What can be run, and when it runs by itself. */
export function registerDefinitionRoutes(
  app: Server,
  deps: { definitions: Definitions; schedules: SchedulesService; instances: InstancesService },
): void {
  const { definitions, schedules, instances } = deps;
  const params = z.object({ fullname: z.string().meta({ description: 'project.NAME' }) });

  app.get('/api/definitions', {
    config: { access: { scope: 'Read' } },
    schema: { tags, summary: 'List workflow definitions', response: { 200: z.array(definition) } },
    handler: async () => {
      const all = definitions.list();
      const known = all.some(({ plan }) => plan.schedule) ? await schedules.list() : new Map();
      return all.map(({ source, name, project, fullname, plan }) => {
        const row = plan.schedule && known.get(fullname);
        const when = plan.schedule
          ? { next_run: row?.next_run?.toISOString() ?? null, paused: row?.is_paused ?? false }
          : {};
        const tasks = Array.isArray(source['tasks']) ? source['tasks'] : [];
        return { ...source, tasks, name, project, fullname, ...when };
      });
    },
  });

  app.get('/api/definitions/faults', {
    config: { access: { scope: 'Read' } },
    schema: {
      tags,
      summary: 'What is wrong in the files of the home; definitions that were good before stay in use',
      response: { 200: z.array(definitionFault) },
    },
    handler: async () =>
      definitions.faults().map(({ file, line, column, message }) => ({ file, line, column, message })),
  });

  for (const [verb, isPaused, summary] of [
    ['pause', true, 'Let the schedule of a workflow rest'],
    ['resume', false, 'Let the schedule of a workflow go on from now'],
  ] as const) {
    app.post(`/api/definitions/:fullname/${verb}`, {
      config: { access: { scope: 'Write' } },
      schema: { tags, summary, params, response: { 200: emptyObject } },
      handler: async (request) => {
        await schedules.setPaused(request.params.fullname, isPaused, actorOf(request));
        return {};
      },
    });
  }

  app.post('/api/definitions/:fullname/run', {
    config: { access: { scope: 'Write' } },
    schema: {
      tags,
      summary: 'Run a workflow now, with the payload of its schedule',
      params,
      response: { 201: instanceListItem },
    },
    handler: async (request, reply) => {
      const { fullname } = request.params;
      const payload = definitions.find(fullname)?.plan.schedule?.payload ?? {};
      const created = await instances.start({ fullname, payload, actor: actorOf(request) });
      const text = instanceText(await instances.get(created.id));
      return reply
        .code(201)
        .type('application/json; charset=utf-8')
        .send(text as never); // JSON already
    },
  });
}
