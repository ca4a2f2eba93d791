import { collectDefaultMetrics, Registry } from 'prom-client';
import { z } from 'zod';
import { createDurations } from './durations.ts';
import type { Server } from './server.ts';

/** Prometheus figures of the process and of every route. */
export function registerMetrics(app: Server): Registry {
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
    handler: async (_request, reply) => {
      const text = await registry.metrics();
      return reply.type(registry.contentType).serializer(String).send(text);
    },
  });
  return registry;
}
