import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { HostSetup, LoadedTasks } from './host-messages.ts';

export type TaskFunction = (context: unknown) => unknown;
/** A function to run, or why there is none. */
export type TaskTable = Map<string, { run: TaskFunction } | { fault: string }>;

/**
 * Imports the files one after the other. A file that cannot be imported loses nobody else: its tasks are known from before or by a look
 * at its text, and fail with the reason instead of waiting for a worker that has them.
 */
export async function loadTasks(
  { home, files, broken, known }: Pick<HostSetup, 'home' | 'files' | 'broken' | 'known'>,
  beforeImport: (file: string) => void,
): Promise<{ table: TaskTable; loaded: LoadedTasks }> {
  const table: TaskTable = new Map();
  const owners = new Map<string, string>();
  const loaded: LoadedTasks = { files: [] };
  for (const file of files) {
    const fault = broken.find((one) => one.file === file)?.message;
    if (fault === undefined) beforeImport(file);
    const found = fault === undefined ? await importTasks(home, file) : { fault };
    const functions = 'fault' in found ? new Map<string, TaskFunction>() : found.functions;
    const names = 'fault' in found ? await namesOfBroken(join(home, file), known[file]) : [...functions.keys()];
    for (const name of names) {
      const owner = owners.get(name);
      const run = functions.get(name);
      if (owner !== undefined)
        table.set(name, { fault: `${name} is exported by both ${owner} and ${file}; rename one.` });
      else table.set(name, run ? { run } : { fault: 'fault' in found ? found.fault : `${file} has no ${name}.` });
      owners.set(name, owner ?? file);
    }
    loaded.files.push({ file, names, ...('fault' in found ? { fault: found.fault } : {}) });
  }
  return { table, loaded };
}

async function importTasks(
  home: string,
  file: string,
): Promise<{ functions: Map<string, TaskFunction> } | { fault: string }> {
  try {
    const exported: Record<string, unknown> = await import(pathToFileURL(join(home, file)).href);
    const functions = new Map<string, TaskFunction>();
    for (const [name, value] of Object.entries(exported)) {
      if (name !== 'default' && isFunction(value)) functions.set(name, value);
    }
    return { functions };
  } catch (error) {
    return { fault: `${file} cannot be imported: ${describe(error)}` };
  }
}

async function namesOfBroken(path: string, known: string[] = []): Promise<string[]> {
  return [...new Set([...known, ...namesIn(await readFile(path, 'utf8').catch(() => ''))])];
}

/** `export function A`, `export async function B`, `export const C =`, `export { d as E }`. */
export function namesIn(text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  const declared = code.matchAll(
    /(?:^|[;}])\s*export\s+(?:async\s+)?(?:function\s*\*?|const|let|var)\s+([\p{L}_$][\p{L}\p{N}_$]*)/gmu,
  );
  const listed = code.matchAll(/(?:^|[;}])\s*export\s*\{([^}]*)\}/gm);
  const inLists = [...listed].flatMap(([, list]) =>
    list
      .split(',')
      .filter((part) => !/^\s*type\s/.test(part))
      .map(
        (part) =>
          part
            .trim()
            .split(/\s+as\s+/)
            .at(-1) ?? '',
      ),
  );
  return [...new Set([...[...declared].map(([, name]) => name), ...inLists])].filter(
    (name) => name !== '' && name !== 'default',
  );
}

// Any function may be called with one argument; what it does with it is the author's affair.
const isFunction = (value: unknown): value is TaskFunction => typeof value === 'function';

const describe = (error: unknown): string =>
  error instanceof Error ? `${error.name === 'Error' ? '' : `${error.name}: `}${error.message}` : String(error);
