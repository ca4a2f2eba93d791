import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { badRequest, StartupError } from '../errors.ts';
import { type CsvOptions, createCsvCutter } from './csv-cutter.ts';
import { createLineCutter } from './line-cutter.ts';
import type { Portion, PortionLimits } from './portion.ts';

export type ImportFormat = 'ndjson' | 'csv';
export type SourceOptions = PortionLimits & CsvOptions & { format: ImportFormat; skipLines: number };

/** An opened file, or standard input; `sizeBytes` where it is known. */
export type ImportSource = {
  /** As it was given. */
  file: string;
  /** For messages. */
  name: string;
  stream: Readable;
  sizeBytes: number | undefined;
  readBytes: number;
};

/** All of them at once, so that a misspelt name is told before anything is sent. */
export async function openSources(files: string[]): Promise<ImportSource[]> {
  const sources: ImportSource[] = [];
  for (const file of files) sources.push(await openSource(file));
  return sources;
}

/** `graph.csv.gz` is CSV, `graph.tsv` too; everything else is NDJSON. */
export function formatOf(name: string): ImportFormat {
  return /\.[ct]sv(\.gz)?$/i.test(name) ? 'csv' : 'ndjson';
}

/** What the source holds, portion by portion, read only as fast as portions are taken. */
export async function* readPortions(
  source: ImportSource,
  options: SourceOptions,
  warn: (sentence: string) => void,
): AsyncGenerator<Portion> {
  const chunks = unpack(source);
  if (options.format === 'ndjson') {
    const cutter = createLineCutter(options);
    let isFirst = true;
    for await (const chunk of chunks) {
      if (isFirst && /^\s*\[/.test(Buffer.from(chunk.subarray(0, 64)).toString())) throw isArray(source.name);
      isFirst = false;
      yield* cutter.push(chunk);
    }
    const last = cutter.end();
    if (last) yield last;
    return;
  }
  const cutter = createCsvCutter(options, {
    refuse: (reason) => new StartupError(`The first line of ${source.name} cannot be used as its header: ${reason}.`),
    warn: (unknown) =>
      warn(
        `${source.name}: ignored ${unknown.length === 1 ? 'the column' : 'the columns'} ${unknown.map((name) => `"${name}"`).join(', ')}.`,
      ),
  });
  const decoder = new TextDecoder();
  for await (const chunk of chunks) yield* cutter.push(decoder.decode(chunk, { stream: true }));
  yield* cutter.push(decoder.decode());
  yield* cutter.end();
}

/** The bytes of the source, unpacked where its first two say that it is gzip, whatever its name says. */
async function* unpack(source: ImportSource): AsyncGenerator<Uint8Array> {
  const raw = counted(source);
  let head = Buffer.alloc(0);
  while (head.length < 2) {
    const { value, done } = await raw.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  if (head[0] !== 0x1f || head[1] !== 0x8b) {
    if (head.length > 0) yield head;
    yield* raw;
    return;
  }
  const feed = async function* () {
    yield head;
    yield* raw;
  };
  // Unlike `pipe`, `compose` hands errors on and closes both ends.
  const unpacked = Readable.from(feed(), { objectMode: false }).compose(createGunzip());
  try {
    for await (const chunk of unpacked) yield Buffer.from(chunk);
  } catch (error) {
    const isDamaged = error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
    throw isDamaged ? badRequest(`${source.name} is damaged: its gzip data ends or breaks in the middle.`) : error;
  }
}

async function* counted(source: ImportSource): AsyncGenerator<Buffer> {
  for await (const chunk of source.stream) {
    const bytes = Buffer.from(chunk);
    source.readBytes += bytes.length;
    yield bytes;
  }
}

async function openSource(file: string): Promise<ImportSource> {
  if (file === '-') {
    if (process.stdin.isTTY) throw new StartupError('Standard input is the keyboard; name a file, or redirect one.');
    return { file, name: 'standard input', stream: process.stdin, sizeBytes: undefined, readBytes: 0 };
  }
  let handle: FileHandle | undefined;
  try {
    handle = await open(file);
    const stat = await handle.stat();
    if (stat.isDirectory()) throw Object.assign(new Error('it is a directory'), { code: 'EISDIR' });
    const sizeBytes = stat.isFile() ? stat.size : undefined;
    const stream = handle.createReadStream({ highWaterMark: 256 * 1024 });
    return { file, name: file, stream, sizeBytes, readBytes: 0 };
  } catch (error) {
    await handle?.close();
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new StartupError(`${file} cannot be read (${code}).`, { cause: error });
  }
}

const isArray = (name: string) =>
  new StartupError(
    `${name} holds a JSON array, not one message a line; try: jq -c '.[]' FILE | faultline import --team TEAM`,
  );
