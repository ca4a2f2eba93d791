import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { actorOf, identityOf } from '../../http/authentication.ts';
import { emptyObject } from '../../http/schemas.ts';
import type { Server } from '../../http/server.ts';
import { defaultTtlSeconds, healthOf, stateAt } from './service-state.ts';
import {
  beatBody,
  type ServiceAnswer,
  serviceList,
  serviceName,
  serviceType,
  serviceTypes,
} from './services.schemas.ts';
import { type Beater, type ServicePage, type ServicesService, unknownService } from './services.service.ts';
import type { ServiceRow } from './services.store.ts';

export function registerServiceRoutes(app: Server, deps: { services: ServicesService }): void {
  const { services } = deps;
  const tags = ['Services'];
  const access = { scope: 'Service' } as const;

  app.get('/services/types', {
    config: { access },
    schema: { tags, summary: 'The types that somebody has, and how many are alive', response: { 200: serviceTypes } },
    handler: () => services.listTypes(),
  });

  app.get('/services/:type', {
    config: { access },
    schema: {
      tags,
      summary: 'The services of a type, sorted by name',
      params: z.object({ type: z.string() }),
      response: { 200: serviceList },
    },
    handler: async (request, reply) => {
      const { type } = request.params;
      // No service can have such a type, and the database could not even be asked for some of them.
      if (!serviceType.safeParse(type).success) return [];
      const pages = services.list(type);
      const first = await pages.next();
      const list = first.done ? [] : toServices(first.value);
      const second = await pages.next();
      if (second.done) return list;
      const pieces = writePages(list, second.value, pages);
      return reply
        .type('application/json; charset=utf-8')
        .send(Readable.from(pieces, { objectMode: false }) as unknown as ServiceAnswer[]); // the same list, written piece by piece
    },
  });

  app.post('/services/heartbeat', {
    config: { access },
    schema: {
      tags,
      summary: 'Register a service, or say that it is alive',
      description:
        'Named by type and name; without them it is the one service that the user of the token owns. What is left out stays as it was.',
      body: beatBody.nullish(),
      response: { 204: z.null().meta({ description: 'It is written' }) },
    },
    handler: async (request, reply) => {
      await services.beat(request.body ?? {}, beaterOf(request));
      return reply.code(204).send(null);
    },
  });

  app.delete('/services/:type/:name', {
    config: { access },
    schema: {
      tags,
      summary: 'Delete a service that says goodbye',
      params: z.object({ type: z.string(), name: z.string() }),
      response: { 200: emptyObject },
    },
    handler: async (request) => {
      const { type, name } = request.params;
      if (!serviceType.safeParse(type).success || !serviceName.safeParse(name).success) throw unknownService();
      await services.delete(type, name, beaterOf(request));
      return {};
    },
  });
}

function beaterOf(request: FastifyRequest): Beater {
  const { userId, isAdmin } = identityOf(request);
  return { userId, isAdmin, actor: actorOf(request) };
}

async function* writePages(
  first: ServiceAnswer[],
  second: ServicePage,
  rest: AsyncIterable<ServicePage>,
): AsyncGenerator<string> {
  yield JSON.stringify(first).slice(0, -1);
  yield writeMore(second);
  for await (const page of rest) yield writeMore(page);
  yield ']';
}

const writeMore = (page: ServicePage): string =>
  toServices(page)
    .map((one) => `,${JSON.stringify(one)}`)
    .join('');

const toServices = ({ now, services }: ServicePage): ServiceAnswer[] => services.map((row) => toService(row, now));

function toService(row: ServiceRow, now: number): ServiceAnswer {
  const ttl_seconds = row.ttl_seconds ?? defaultTtlSeconds;
  const lines = row.monitoring?.lines ?? [];
  return {
    id: row.id,
    name: row.name,
    type: row.type,
    url: row.url || null,
    version: row.version || null,
    region: row.region || null,
    public_key: row.public_key || null,
    metadata: row.metadata ?? {},
    // Those that are gone were not selected.
    state: stateAt(row, now) === 'alive' ? 'alive' : 'stale',
    health: healthOf(lines),
    monitoring_status: {
      now: row.monitoring?.now ?? row.last_heartbeat.toISOString(),
      lines: lines.map(({ status, component, value, type = row.type }) => ({ status, component, value, type })),
    },
    ttl_seconds,
    registered_at: row.registered_at.toISOString(),
    last_heartbeat: row.last_heartbeat.toISOString(),
    expires_at: new Date(row.last_heartbeat.getTime() + ttl_seconds * 1000).toISOString(),
  };
}
