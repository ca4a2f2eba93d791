import type { Readable } from 'node:stream';
import { z } from 'zod';
import { unsupportedMediaType } from '../errors.ts';
import { actorOf } from '../http/authentication.ts';
import { pathId } from '../http/schemas.ts';
import type { Server } from '../http/server.ts';
import { arrayToLines } from './array-lines.ts';
import { teamOf } from './graph.routes.ts';
import { ingestResult } from './graph.schemas.ts';
import type { GraphService } from './graph.service.ts';
import { graphBatchBytes, lineBatches } from './line-batches.ts';

const ndjsonTypes = ['application/x-ndjson', 'application/ndjson', 'application/jsonl'];

const messageFormat =
  'A message says that source depends on target: {"source": {"label", "name", "props"?: {"from", "to"}}, "target"?: {…}, ' +
  '"rel"?: {"from"?, "to"?}}, or flat with source_label, source_name, source_from, source_to, target_…, rel_from, rel_to. ' +
  'Times are unix seconds. Sending a message again is harmless, and their order does not matter. Content-Type is ' +
  'application/json for an array, application/x-ndjson for one message a line.';

/** Messages by the million: the body is read as fast as it is written to the database, and never held as a whole. */
export async function registerIngestRoutes(app: Server, deps: { graph: GraphService }): Promise<void> {
  const params = z.object({ team_id: pathId('Team id') });
  await app.register(async (scope: Server) => {
    scope.removeAllContentTypeParsers();
    // The body stays a stream; the handler reads it.
    scope.addContentTypeParser(['application/json', ...ndjsonTypes], (_request, body, done) => done(null, body));

    for (const [method, mode, summary] of [
      ['POST', 'add', 'Add messages: a JSON array, or NDJSON of any length'],
      ['DELETE', 'remove', 'Take messages back: a JSON array, or NDJSON of any length'],
    ] as const) {
      scope.route({
        method,
        url: '/v1/teams/:team_id/graph',
        config: { access: { scope: 'Write', team: 'editor' } },
        schema: {
          tags: ['Graph'],
          summary,
          description: messageFormat,
          params,
          consumes: ['application/json', 'application/x-ndjson'],
          response: { 200: ingestResult },
        },
        handler: async (request, reply) => {
          const body = request.body as Readable | undefined; // what the parser above hands on
          if (body === undefined)
            throw unsupportedMediaType('Send messages as application/json (an array) or application/x-ndjson.');
          const encoding = request.headers['content-encoding'] ?? 'identity';
          // As lines they would all be broken, and the answer a success.
          if (encoding.toLowerCase() !== 'identity')
            throw unsupportedMediaType('Send messages without Content-Encoding; a compressed body is not taken.');
          const isArray = /^application\/json\b/i.test(request.headers['content-type'] ?? '');
          const lines = isArray ? arrayToLines(body) : body;
          const result = await deps.graph.ingest(
            teamOf(request),
            mode,
            lineBatches(lines, graphBatchBytes),
            actorOf(request),
          );
          void reply.header('x-graph-version', result.version);
          return result;
        },
      });
    }
  });
}
