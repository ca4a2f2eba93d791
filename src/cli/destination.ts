import { rmSync } from 'node:fs';
import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StartupError } from '../errors.ts';
import { type ByteCounter, countBytes } from './progress.ts';

export type DestinationOptions = { isForScreen?: boolean; mode?: number };

/**
 * Writes a file that is either there, complete and synced, or not there at all; readable by its owner only, unless told. Returns
 * its length. "-" is standard output; pipes and devices are written as they are, for a rename would replace them.
 */
export async function writeDestination(
  file: string,
  produce: (sink: Writable) => Promise<void>,
  { isForScreen = false, mode = 0o600 }: DestinationOptions = {},
): Promise<number> {
  // On one screen, progress would be written into the output.
  const counter = countBytes('written', { isQuiet: file === '-' && process.stdout.isTTY });
  if (file === '-') {
    if (process.stdout.isTTY && !isForScreen)
      throw new StartupError('A backup is not for the screen; name a file, or redirect the output.');
    await Promise.all([produce(counter), pipeline(counter, process.stdout, { end: false })]);
    return counter.bytes();
  }
  try {
    const target = await realpath(file).catch(() => file);
    const isSpecial = await stat(target).then((found) => !found.isFile(), () => false); // biome-ignore format: one line
    await (isSpecial
      ? writeInto(await open(target, 'w'), counter, produce)
      : writeBeside(target, mode, counter, produce));
    return counter.bytes();
  } catch (error) {
    throw explain(file, error);
  }
}

async function writeBeside(
  target: string,
  mode: number,
  counter: ByteCounter,
  produce: (sink: Writable) => Promise<void>,
) {
  const draft = `${target}.${process.pid}.part`;
  const handle = await open(draft, 'wx', mode);
  const forgetSignals = onSignals(() => rmSync(draft, { force: true }));
  try {
    await writeInto(handle, counter, produce);
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  } finally {
    forgetSignals();
  }
}

async function writeInto(handle: FileHandle, counter: ByteCounter, produce: (sink: Writable) => Promise<void>) {
  // `flush`: what was reported as complete is on the disk.
  const stream = handle.createWriteStream({ flush: (await handle.stat()).isFile() });
  await Promise.all([produce(counter), pipeline(counter, stream)]).catch((error: unknown) => {
    counter.destroy();
    stream.destroy();
    throw error;
  });
}

/** Ctrl-C in the middle leaves nothing behind. */
function onSignals(cleanUp: () => void): () => void {
  const handlers = (['SIGINT', 'SIGTERM'] as const).map((signal, index) => {
    const handler = () => {
      cleanUp();
      process.exit(index === 0 ? 130 : 143);
    };
    process.once(signal, handler);
    return () => process.off(signal, handler);
  });
  return () => handlers.forEach((off) => off());
}

function explain(file: string, error: unknown): unknown {
  const isAboutFile = error instanceof Error && 'syscall' in error && 'path' in error && 'code' in error;
  const isFull = error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
  if (!isAboutFile && !isFull) return error;
  return new StartupError(
    `${file} cannot be written (${String(error.code)}); name a file in a directory that can be.`,
    {
      cause: error,
    },
  );
}
