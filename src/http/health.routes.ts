import { z } from 'zod';
import type { Server } from './server.ts';

export type ReadinessCheck = { name: string; isReady: () => Promise<boolean> };

const readiness = z
  .object({
    ready: z.boolean(),
    checks: z.record(z.string(), z.enum(['ready', 'not ready'])).meta({ description: 'What readiness is made of' }),
  })
  .meta({ id: 'Readiness' });

/** Not ready is a failure like any other, so it has the shape of one, and says besides which check failed. */
const notReady = readiness.extend({ error: z.literal('unavailable'), message: z.string() }).meta({ id: 'NotReady' });

const checkTimeoutMs = 2000;

export function registerHealthRoutes(app: Server, deps: { checks: ReadinessCheck[] }): void {
  const tags = ['Operation'];
  const pong = z.object({ message: z.literal('pong') });

  app.get('/api/ping', {
    config: { access: 'open' },
    schema: { tags, summary: 'Is the workflow API there?', response: { 200: pong } },
    handler: (_request, reply) => void reply.send({ message: 'pong' }),
  });

  app.get('/health/live', {
    config: { access: 'open' },
    schema: { tags, summary: 'Is the process alive?', response: { 200: z.object({ live: z.literal(true) }) } },
    handler: (_request, reply) => void reply.send({ live: true }),
  });

  app.get('/health/ready', {
    config: { access: 'open' },
    schema: {
      tags,
      summary: 'Can it serve requests? If not, the checks say why',
      response: { 200: readiness, 503: notReady },
    },
    handler: async (_request, reply) => {
      const results = await Promise.all(
        deps.checks.map(async (check) => [check.name, await isReadyInTime(check)] as const),
      );
      const ready = results.every(([, isReady]) => isReady);
      const checks = Object.fromEntries(
        results.map(([name, isReady]) => [name, isReady ? 'ready' : 'not ready'] as const),
      );
      if (ready) return reply.send({ ready, checks });
      const failed = results.filter(([, isReady]) => !isReady).map(([name]) => name);
      const message = `Not ready: ${failed.join(', ')}. Try again shortly.`;
      return reply.code(503).send({ error: 'unavailable', message, ready, checks });
    },
  });
}

async function isReadyInTime(check: ReadinessCheck): Promise<boolean> {
  const timeout = new Promise<boolean>((resolve) => void setTimeout(resolve, checkTimeoutMs, false).unref());
  return Promise.race([check.isReady().catch(() => false), timeout]);
}
