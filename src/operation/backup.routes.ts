import { Socket } from 'node:net';
import { z } from 'zod';
import { actorOf } from '../http/authentication.ts';
import { toSecondsTimestamp } from '../http/schemas.ts';
import type { Server } from '../http/server.ts';
import type { BackupService } from './backup.service.ts';

export function registerBackupRoutes(app: Server, deps: { backups: BackupService }): void {
  const file = z.unknown().meta({ type: 'string', format: 'binary', description: 'For `faultline restore`' });

  app.get('/v1/backup', {
    config: { access: { scope: 'Admin' } },
    // HEAD would do all the work for nothing.
    exposeHeadRoute: false,
    schema: {
      tags: ['Operation'],
      summary: 'All data of the database as one file; one backup at a time, 409 for a second one',
      response: { 200: { description: 'The backup', content: { 'application/gzip': { schema: file } } } },
    },
    handler: async (request, reply) => {
      const { socket } = request.raw;
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      // While the data is packed nothing is sent, however long it takes; afterwards a reader that stalls is cut off as usual.
      const setTimeout = (ms: number) => void (socket instanceof Socket && socket.setTimeout(ms));
      setTimeout(0);
      const { stream, bytes } = await deps.backups.create(actorOf(request), gone.signal);
      setTimeout(app.server.timeout);
      const name = `faultline-${toSecondsTimestamp(new Date()).replaceAll(':', '')}.backup`;
      return reply
        .type('application/gzip')
        .header('content-length', bytes)
        .header('content-disposition', `attachment; filename="${name}"`)
        .send(stream);
    },
  });
}
