import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { compareText } from './fault.ts';
import { maxFileBytes } from './yaml-source.ts';

/** A file of the home that matters to definitions. `path` is relative to the home, with forward slashes. */
export type HomeFile = { path: string; text: string } | { path: string; problem: string };

export type HomeStamp = { path: string; stamp: string };

const maxFiles = 5000;

/** Which files there are, and what changes whenever one of them does; cheap enough to ask every few seconds. */
export async function stampHome(home: string): Promise<HomeStamp[]> {
  const top = ['workflows.yml', 'workflows.yaml', 'queues.yml', 'queues.yaml'];
  const nested = await Promise.all([
    listFiles(home, 'workflows', (name) => /\.ya?ml$/.test(name)),
    listFiles(home, 'schemas', (name) => name.endsWith('.json')),
    listFiles(home, 'tasks', isTaskFile),
  ]);
  const paths = [...top, 'tasks/remote.yml', ...nested.flat()].slice(0, maxFiles);
  const stamps = await Promise.all(
    paths.map(async (path) => {
      const found = await stat(join(home, path)).catch(() => undefined);
      return found?.isFile() ? [{ path, stamp: `${found.ino}:${found.size}:${found.mtimeMs}` }] : [];
    }),
  );
  return stamps.flat().toSorted((a, b) => compareText(a.path, b.path));
}

export async function readHome(home: string, stamps: HomeStamp[]): Promise<HomeFile[]> {
  const files: HomeFile[] = [];
  // One after the other: a home is small, and a burst of a thousand open files is not.
  for (const { path } of stamps) {
    const full = join(home, path);
    try {
      const { size } = await stat(full);
      if (size > maxFileBytes) files.push({ path, problem: 'The file is larger than 1 MiB; split it.' });
      else files.push({ path, text: await readFile(full, 'utf8') });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException; // what node:fs throws
      // Gone since the list was made: as if it had never been there.
      if (code !== 'ENOENT') files.push({ path, problem: `The file cannot be read (${code ?? 'unknown reason'}).` });
    }
  }
  return files;
}

/** Not declarations, not tests. */
export const isTaskFile = (name: string): boolean =>
  /\.(ts|mts|js|mjs)$/.test(name) && !/\.(d|test)\.m?[jt]s$/.test(name);

async function listFiles(home: string, folder: string, isWanted: (name: string) => boolean): Promise<string[]> {
  const found: string[] = [];
  const pending = [folder];
  while (pending.length > 0 && found.length < maxFiles) {
    const current = pending.shift() ?? '';
    const entries = await readdir(join(home, current), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      if (entry.isDirectory()) pending.push(`${current}/${entry.name}`);
      else if (isWanted(entry.name)) found.push(`${current}/${entry.name}`);
    }
  }
  return found;
}
