import { Readable } from 'node:stream';
import { z } from 'zod';
import { badRequest } from '../errors.ts';
import { pathId, queryInteger, queryText } from '../http/schemas.ts';
import type { Server } from '../http/server.ts';
import type { ExportService } from './export.service.ts';
import { exporters, exportFormats } from './export.ts';
import { atLeast, teamOf } from './graph.routes.ts';

// Written as it is read: the text of a chosen format, whose type is told in Content-Type.
const exported = z.unknown().meta({ type: 'string', description: 'The graph in that format' });

const directions = { dependencies: ['out'], impacted: ['in'], both: ['out', 'in'] } as const;

export function registerExportRoutes(app: Server, deps: { exports: ExportService }): void {
  app.get('/v1/teams/:team_id/graph/export', {
    config: { access: { scope: 'Read', team: 'member' } },
    schema: {
      tags: ['Graph'],
      summary: 'The whole graph, or what lies around one node, in a format of your choice',
      params: z.object({ team_id: pathId('Team id') }),
      querystring: z.object({
        format: z
          .enum(exportFormats, `must be one of ${exportFormats.join(', ')}`)
          .optional()
          .meta({ description: 'ndjson unless told, which can be posted back in' }),
        label: queryText('With name: only what lies around this node').optional(),
        name: queryText('With label: only what lies around this node').optional(),
        depth: queryInteger('How many steps around it; 1 unless told').optional(),
        direction: z
          .enum(['dependencies', 'impacted', 'both'], 'must be dependencies, impacted or both')
          .optional()
          .meta({ description: 'Which way; both unless told' }),
      }),
      response: { 200: { description: 'The graph in that format', content: { 'text/plain': { schema: exported } } } },
    },
    handler: async (request, reply) => {
      const { format = 'ndjson', label, name, depth = 1, direction = 'both' } = request.query;
      if ((label === undefined) !== (name === undefined))
        throw badRequest('The parameters "label" and "name" belong together.');
      const around =
        label !== undefined && name !== undefined
          ? { label, name, depth, directions: [...directions[direction]] }
          : undefined;
      const pieces = await deps.exports.export(teamOf(request), format, around, atLeast(request));
      return reply.type(exporters[format].contentType).send(Readable.from(pieces, { objectMode: false }));
    },
  });
}
