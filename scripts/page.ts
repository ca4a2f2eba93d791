import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const built = join(root, 'web/dist/index.html');
const sources = ['web/src', 'web/index.html', 'vite.config.ts', 'package-lock.json'].map((path) => join(root, path));

export async function buildPage(): Promise<void> {
  const { build } = await import('vite');
  // Vite builds for whatever is said here; under the tests that would be React with all its checks.
  const { NODE_ENV } = process.env;
  process.env['NODE_ENV'] = 'production';
  try {
    await build({ configFile: join(root, 'vite.config.ts'), logLevel: 'warn' });
  } finally {
    if (NODE_ENV === undefined) delete process.env['NODE_ENV'];
    else process.env['NODE_ENV'] = NODE_ENV;
  }
}

export const isPageStale = (): boolean =>
  !existsSync(built) || Math.max(...sources.map(newestIn)) > statSync(built).mtimeMs;

function newestIn(path: string): number {
  const own = statSync(path);
  if (!own.isDirectory()) return own.mtimeMs;
  return Math.max(own.mtimeMs, ...readdirSync(path).map((name) => newestIn(join(path, name))));
}
