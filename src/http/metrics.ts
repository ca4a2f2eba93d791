import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { z } from 'zod';
import type { Server } from './server.ts';

/** Prometheus figures of the process and of every route. */
export function registerMetrics(app: Server): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const durations = new Histogram({
    name: 'faultline_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last byte of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10],
    registers: [registry],
  });

  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown';
    durations.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
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
