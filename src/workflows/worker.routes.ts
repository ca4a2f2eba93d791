import type { Server } from '../http/server.ts';
import type { Dispatch } from './dispatch.service.ts';
import { claimAnswer, claimBody, reportAnswer, reportBody } from './worker.schemas.ts';

const tags = ['Workers'];

/** The protocol of workers, ours and those in other languages. */
export function registerWorkerRoutes(app: Server, deps: { dispatch: Dispatch }): void {
  const { dispatch } = deps;

  app.post('/api/worker/claim', {
    config: { access: { scope: 'Service' } },
    schema: {
      tags,
      summary: 'Take tasks to run, waiting for some if need be',
      body: claimBody,
      response: { 200: claimAnswer },
    },
    handler: async (request, reply) => {
      const gone = new AbortController();
      // The answer was not sent, but the connection is closed: the worker has gone.
      reply.raw.once('close', () => gone.abort());
      return dispatch.claim(request.body, gone.signal);
    },
  });

  app.post('/api/worker/report', {
    config: { access: { scope: 'Service' } },
    schema: {
      tags,
      summary: 'Say what was done, failed or still runs, and take what comes next',
      body: reportBody,
      response: { 200: reportAnswer },
    },
    handler: (request) => dispatch.report(request.body),
  });
}
