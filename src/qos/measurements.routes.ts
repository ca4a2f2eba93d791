import type { Readable } from 'node:stream';
import { z } from 'zod';
import { unsupportedMediaType } from '../errors.ts';
import { arrayToLines } from '../graph/array-lines.ts';
import { lineBatches } from '../graph/line-batches.ts';
import { actorOf } from '../http/authentication.ts';
import { pathId } from '../http/schemas.ts';
import type { Server } from '../http/server.ts';
import type { MeasurementsService } from './measurements.service.ts';
import { measurementsResult } from './qos-settings.schemas.ts';

const types = ['application/json', 'application/x-ndjson', 'application/ndjson', 'application/jsonl'];

/** A few thousand measurements: small enough that reading them does not hold up other requests. */
const batchBytes = 256 * 1024;

/** The body is read as fast as it is written to the database, and never held as a whole. */
export async function registerMeasurementRoutes(
  app: Server,
  { measurements }: { measurements: MeasurementsService },
): Promise<void> {
  await app.register(async (scope: Server) => {
    scope.removeAllContentTypeParsers();
    // The body stays a stream; the handler reads it.
    scope.addContentTypeParser(types, (_request, body, done) => done(null, body));
    scope.post('/v1/teams/:team_id/measurements', {
      config: { access: { scope: 'Write', team: 'editor' } },
      schema: {
        tags: ['Quality of service'],
        summary: 'Measurements for checks of the source `push`: a JSON array, or NDJSON of any length',
        description:
          'Each is {"label", "name", "check" (id or name), "ts" (unix seconds), "value" (a number, true or false)}. One that is sent again ' +
          'replaces the former one. Content-Type is application/json for an array, application/x-ndjson for one a line.',
        params: z.object({ team_id: pathId('Team id') }),
        consumes: ['application/json', 'application/x-ndjson'],
        response: { 200: measurementsResult },
      },
      handler: async (request) => {
        const body = request.body as Readable | undefined; // what the parser above hands on
        const encoding = request.headers['content-encoding'] ?? 'identity';
        if (body === undefined || encoding.toLowerCase() !== 'identity') {
          throw unsupportedMediaType(
            'Send measurements as application/json (an array) or application/x-ndjson, without Content-Encoding.',
          );
        }
        const isArray = /^application\/json\b/i.test(request.headers['content-type'] ?? '');
        const lines = isArray ? arrayToLines(body) : body;
        return measurements.ingest(request.params.team_id, lineBatches(lines, batchBytes), actorOf(request));
      },
    });
  });
}
