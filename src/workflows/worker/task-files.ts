import { readdir, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

export type TaskFiles = {
  /** Relative to the home, sorted. */
  files: string[];
  /** Changes when any of them does. */
  signature: string;
};

/** All of `tasks/**\/*.{ts,mts,js,mjs}`. A home without that folder has no tasks of its own. */
export async function listTaskFiles(home: string): Promise<TaskFiles> {
  const entries = await readdir(join(home, 'tasks'), { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries
    .filter((entry) => !entry.isDirectory() && isTaskFile(entry.name))
    .map((entry) => relative(home, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((file) => !file.split('/').some((part) => part === 'node_modules' || part.startsWith('.')))
    .toSorted();
  const marks = await Promise.all(
    files.map(async (file) => {
      const found = await stat(join(home, file)).catch(() => undefined);
      return found ? `${file}:${found.mtimeMs}:${found.size}` : file;
    }),
  );
  return { files, signature: marks.join('\n') };
}

export const isTaskFile = (name: string): boolean => /\.m?[tj]s$/.test(name) && !/\.(d|test)\.m?[tj]s$/.test(name);
