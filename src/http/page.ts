import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import { notFound } from '../errors.ts';
import type { Server } from './server.ts';

const root = fileURLToPath(new URL('../../web/dist/', import.meta.url));

/**
 * The page's files. Everything about them is open; what they ask for is not. Every address of the page gets the same document, which
 * finds out what to show; the files it names carry a hash of their content, so they never change.
 */
export async function registerPage(server: Server): Promise<void> {
  const isBuilt = existsSync(`${root}index.html`);
  const options = { config: { access: 'open' }, schema: { hide: true } } as const;
  if (isBuilt) {
    await server.register(fastifyStatic, { root, serve: false, cacheControl: false, preCompressed: true });
  }

  for (const path of ['/', '/app', '/app/*']) {
    server.get(path, options, (_request, reply) => {
      if (!isBuilt) throw notFound('The page is not built here; "npm run build:page" builds it. /docs lists the rest.');
      return reply.header('cache-control', 'no-cache').sendFile('index.html');
    });
  }

  server.get('/assets/*', options, (request, reply) => {
    const { '*': file } = request.params as { '*': string }; // the wildcard
    // Only the build names files, with plain letters: anything else is not there.
    if (!isBuilt || !/^[\w.-]+$/.test(file) || !existsSync(`${root}assets/${file}`)) return reply.callNotFound();
    return reply.header('cache-control', 'public, max-age=31536000, immutable').sendFile(`assets/${file}`);
  });
}
