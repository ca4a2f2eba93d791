import { z } from 'zod';
import { notFound } from '../errors.ts';
import { actorOf } from '../http/authentication.ts';
import { emptyObject, queryBoolean } from '../http/schemas.ts';
import type { Server } from '../http/server.ts';
import type { Definition } from './definitions/compile.ts';
import type { Definitions } from './definitions/definitions.service.ts';
import type { InstancesService } from './instances.service.ts';
import type { Plan, PlanItem } from './plan.ts';
import type { SchedulesService } from './schedules.service.ts';
import type { ScheduleRow } from './schedules.store.ts';
import { instanceText } from './wire.ts';
import { definition, definitionDetail, definitionFault, instanceListItem } from './workflows.schemas.ts';

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
    schema: {
      tags,
      summary: 'List workflow definitions',
      querystring: z.object({ builtin: queryBoolean('Also those that come with the service').optional() }),
      response: { 200: z.array(definition) },
    },
    handler: async ({ query }) => {
      const all = definitions.list().filter(({ isBuiltIn = false }) => !isBuiltIn || query.builtin);
      const known: Schedules = all.some(({ plan }) => plan.schedule) ? await schedules.list() : new Map();
      return all.map((one) => definitionBody(one, known.get(one.fullname)));
    },
  });

  app.get('/api/definitions/:fullname', {
    config: { access: { scope: 'Read' } },
    schema: {
      tags,
      summary: 'One definition, with what its instances will consist of',
      params,
      response: { 200: definitionDetail },
    },
    handler: async (request) => {
      const { fullname } = request.params;
      const found = definitions.find(fullname);
      if (!found) throw notFound(`There is no workflow ${fullname}; GET /api/definitions lists what there is.`);
      const { plan, file } = found;
      const known: Schedules = plan.schedule ? await schedules.list() : new Map();
      return {
        ...definitionBody(found, known.get(fullname)),
        file,
        ...(plan.payloadSchema !== undefined && { payload_schema: plan.payloadSchema }),
        plan: { items: plan.items.map(wireItem), hooks: wireHooks(plan.hooks) },
      };
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

type Schedules = Map<string, ScheduleRow>;

function definitionBody({ source, name, project, fullname, plan }: Definition, row: ScheduleRow | undefined) {
  const when = plan.schedule ? { next_run: row?.next_run?.toISOString() ?? null, paused: row?.is_paused ?? false } : {};
  const tasks = Array.isArray(source['tasks']) ? source['tasks'] : [];
  return { ...source, tasks, name, project, fullname, ...when };
}

function wireItem(item: PlanItem) {
  const { key, kind, run, queue, previous, when = null, timeoutSeconds = null, foreach, workflow, retry } = item;
  const { message = null } = (kind === 'approval' ? (item.with ?? {}) : {}) as { message?: string }; // the compiler puts nothing else there
  return {
    key,
    kind,
    run,
    queue,
    previous,
    when,
    over: foreach?.over ?? null,
    concurrency: foreach?.concurrency ?? null,
    workflow: workflow?.fullname ?? null,
    message,
    timeout: timeoutSeconds,
    retry: {
      attempts: retry.attempts,
      delay: retry.delaySeconds,
      backoff: retry.backoff,
      max_delay: retry.maxDelaySeconds,
    },
  };
}

function wireHooks(hooks: Plan['hooks']) {
  const names = ['init', 'success', 'failure'] as const;
  return Object.fromEntries(
    names.flatMap((name) => {
      const { [name]: hook } = hooks;
      return hook ? [[name, { key: hook.key, run: hook.run, queue: hook.queue }]] : [];
    }),
  );
}
