import { z } from 'zod';
import { badRequest, notFound } from '../errors.ts';
import { actorOf } from '../http/authentication.ts';
import { emptyObject, isUuid, pathId, queryBoolean, queryInteger, queryText } from '../http/schemas.ts';
import type { Server } from '../http/server.ts';
import type { Created } from './create-instances.store.ts';
import type { InstanceList } from './instance-list.store.ts';
import type { InstancesService } from './instances.service.ts';
import { instanceText } from './wire.ts';
import { approveBody, instanceDetail, instanceListItem, startBody, statuses } from './workflows.schemas.ts';

const tags = ['Workflows'];
const maxPerPage = 10_000;
const params = z.object({ id: pathId('Instance id') });
const taskParams = z.object({ id: pathId('Instance id'), task: pathId('Task id') });

/** Instances: start, read, and what may be done with them. */
export function registerWorkflowRoutes(app: Server, deps: { instances: InstancesService; list: InstanceList }): void {
  const { instances, list } = deps;

  const detailText = async (id: string): Promise<string> => {
    const row = await instances.getWithTasks(id);
    return instanceText(row, row);
  };
  const sendNew = async (created: Created): Promise<string> => instanceText(await instances.get(created.id));

  app.get('/api/workflows', {
    config: { access: { scope: 'Read' } },
    schema: {
      tags,
      summary: 'List instances, newest first',
      description: 'X-Total-Count says how many there are, Link leads to the next page.',
      querystring: z.object({
        per_page: queryInteger(`How many at most, up to ${maxPerPage}; 1000 unless told`).optional(),
        page: queryInteger('Which page, from 1').optional(),
        with_payload: queryBoolean('Whether to include payloads; they are unless told').optional(),
        project: queryText('Only of this project').optional(),
        name: queryText('Only of this workflow').optional(),
        status: z.enum(statuses, `must be one of ${statuses.join(', ')}`).optional(),
        periodic: queryBoolean('Only those that a schedule started, or only others').optional(),
        since: queryTime('Only those created at this time or later').optional(),
        until: queryTime('Only those created at this time or before').optional(),
      }),
      response: { 200: z.array(instanceListItem) },
    },
    handler: async (request, reply) => {
      const { per_page: perPage = 1000, page = 1, with_payload: withPayload = true, ...filter } = request.query;
      if (page < 1) throw badRequest('"page" must be 1 or more.');
      const limit = Math.min(perPage, maxPerPage);
      const offset = Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER);
      const [total, rows] = await Promise.all([
        list.count(filter),
        limit === 0 ? [] : list.page(filter, { limit, offset, withPayload }),
      ]);
      void reply.header('x-total-count', total);
      if (limit > 0 && offset + rows.length < total && rows.length === limit) {
        void reply.header('link', `<${nextPage(request.url, page + 1)}>; rel="next"`);
      }
      return sendJson(reply, `[${rows.map((row) => instanceText(row)).join(',')}]`);
    },
  });

  app.get('/api/workflows/:id', {
    config: { access: { scope: 'Read' } },
    schema: { tags, summary: 'One instance with its tasks', params, response: { 200: instanceDetail } },
    handler: async (request, reply) => {
      return sendJson(reply, await detailText(instanceIdOf(request.params.id)));
    },
  });

  app.post('/api/workflows', {
    config: { access: { scope: 'Write' } },
    schema: {
      tags,
      summary: 'Start a workflow',
      description: 'The same Idempotency-Key gives the same instance again, with Idempotency-Replayed: true.',
      headers: z.object({
        'idempotency-key': z
          .string()
          .regex(/^[\x20-\x7e]{1,255}$/, 'must be 1 to 255 printable characters')
          .optional(),
      }),
      body: startBody,
      response: { 201: instanceListItem },
    },
    handler: async (request, reply) => {
      const { project, name, payload, comment } = request.body;
      const created = await instances.start({
        fullname: `${project}.${name}`,
        payload,
        comment,
        idempotencyKey: request.headers['idempotency-key'],
        actor: actorOf(request),
      });
      void reply.code(201);
      if (!created.isNew) {
        void reply.header('idempotency-replayed', 'true');
        return sendJson(reply, await sendNew(created));
      }
      // All of it is known already: asking the database again would double the cost of a start.
      return sendJson(
        reply,
        instanceText({
          id: created.id,
          project,
          name,
          payload: JSON.stringify(payload),
          periodic: false,
          status: 'pending',
          comment: comment ?? null,
          relaunched_from: null,
          error: null,
          created: created.created,
          updated: created.created,
          started: null,
          finished: null,
        }),
      );
    },
  });

  for (const [verb, summary, act] of [
    ['relaunch', 'Start it again, with the former payload and the current definition', instances.relaunch],
    ['retry', 'Run what had not succeeded again, in a new instance', instances.retry],
  ] as const) {
    app.post(`/api/workflows/:id/${verb}`, {
      config: { access: { scope: 'Write' } },
      schema: { tags, summary, params, response: { 201: instanceListItem } },
      handler: async (request, reply) => {
        const created = await act(instanceIdOf(request.params.id), actorOf(request));
        return sendJson(reply.code(201), await sendNew(created));
      },
    });
  }

  app.post('/api/workflows/:id/cancel', {
    config: { access: { scope: 'Write' } },
    schema: {
      tags,
      summary: 'Stop it: what waits is canceled at once, what runs is asked to stop',
      params,
      response: { 201: instanceDetail },
    },
    handler: async (request, reply) => {
      const id = instanceIdOf(request.params.id);
      await instances.cancel(id, actorOf(request));
      return sendJson(reply.code(201), await detailText(id));
    },
  });

  app.post('/api/workflows/:id/tasks/:task/approve', {
    config: { access: { scope: 'Write' } },
    schema: {
      tags,
      summary: 'Let a task that waits for an approval go on',
      params: taskParams,
      body: approveBody,
      response: { 201: instanceDetail },
    },
    handler: async (request, reply) => {
      const id = instanceIdOf(request.params.id);
      await instances.get(id);
      if (!isUuid(request.params.task)) throw notFound('There is no such task in this instance.');
      await instances.approve(id, request.params.task, request.body?.comment, actorOf(request));
      return sendJson(reply.code(201), await detailText(id));
    },
  });

  app.delete('/api/workflows/:id', {
    config: { access: { scope: 'Write' } },
    schema: { tags, summary: 'Delete an instance that has ended', params, response: { 200: emptyObject } },
    handler: async (request) => {
      await instances.remove(instanceIdOf(request.params.id), actorOf(request));
      return {};
    },
  });
}

/** ISO 8601; a date alone is its first moment, a time without a zone is UTC. */
const queryTime = (description: string) =>
  z
    .string('must be given once')
    .transform((text, context) => {
      const match = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/.exec(
        text.replace(' ', '+'),
      );
      const hasZone = match?.[4] !== undefined || match?.[1] === undefined;
      const time = match ? Date.parse(text.replace(' ', '+') + (hasZone ? '' : 'Z')) : Number.NaN;
      if (!Number.isNaN(time)) return new Date(time);
      context.addIssue({ code: 'custom', message: 'must be a time as in 2026-11-15T02:08:00Z' });
      return z.NEVER;
    })
    .meta({ type: 'string', format: 'date-time', description });

export function instanceIdOf(id: string): string {
  if (!isUuid(id)) throw notFound('There is no such workflow instance.');
  return id;
}

/** Text that is JSON already, whatever the type of the answer's schema. */
function sendJson(reply: { type(type: string): unknown }, text: string): never {
  reply.type('application/json; charset=utf-8');
  return text as never;
}

function nextPage(url: string, page: number): string {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  searchParams.set('page', String(page));
  return `${pathname}?${searchParams.toString()}`;
}
