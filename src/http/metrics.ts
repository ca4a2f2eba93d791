import { collectDefaultMetrics, Registry } from 'prom-client';
import { z } from 'zod';
import { identityOf } from './authentication.ts';
import { createDurations } from './durations.ts';
import type { Server } from './server.ts';

/** Figures of features, for those whom they concern. */
export type MoreMetrics = (teamIds: string[] | undefined) => Promise<string>;

/** Prometheus figures of the process and of every route; those of teams only for who may read the team. */
export function registerMetrics(app: Server, more: MoreMetrics): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const durations = createDurations();
  registry.registerMetric(durations.metric as never); // the registry asks only for what `durations` has; its type asks for a class

  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown';
    durations.observe(request.method, route, reply.statusCode, reply.elapsedTime / 1000);
    done();
  });

  app.get('/metrics', {
    config: { access: { scope: 'Read' } },
    schema: {
      tags: ['Operation'],
      summary: 'Figures for Prometheus',
      response: { 200: { content: { 'text/plain': { schema: z.string() } } } },
    },
    handler: async (request, reply) => {
      const { isAdmin, grants } = identityOf(request);
      const [text, ofTeams] = await Promise.all([registry.metrics(), more(isAdmin ? undefined : [...grants.keys()])]);
      return reply.type(registry.contentType).serializer(String).send(`${text}${ofTeams}`);
    },
  });
  return registry;
}
