import { closeSync, openSync, writeSync } from 'node:fs';
import { StartupError } from '../errors.ts';
import type { LineFault } from './portion.ts';

export type ErrorsFile = { isWanted: boolean; add(file: string, faults: LineFault[]): void; close(): void };

/** Rejected lines as NDJSON. The file is emptied at the start, so that what it holds is of this run. */
export function openErrorsFile(path: string | undefined): ErrorsFile {
  if (path === undefined) return { isWanted: false, add: () => {}, close: () => {} };
  const descriptor = openForWriting(path);
  return {
    isWanted: true,
    add(file, faults) {
      const lines = faults.map(({ line, message, text }) => `${JSON.stringify({ file, line, message, text })}\n`);
      if (lines.length > 0) writeSync(descriptor, lines.join(''));
    },
    close: () => closeSync(descriptor),
  };
}

function openForWriting(path: string): number {
  try {
    return openSync(path, 'w');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new StartupError(`${path} cannot be written (${code}).`, { cause: error });
  }
}
