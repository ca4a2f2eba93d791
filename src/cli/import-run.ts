import type { ClientConfig } from '../client-config.ts';
import { parseMessage } from '../graph/message.ts';
import { findFaults } from './find-faults.ts';
import type { ErrorsFile } from './import-errors.ts';
import { explainFailure, type ImportOptions, type ImportOutcome } from './import-outcome.ts';
import { type ProgressLine, showProgress } from './import-progress.ts';
import { type IngestResult, sendMessages, TemporaryFailure, type Upload } from './import-request.ts';
import { formatOf, type ImportSource, readPortions, type SourceOptions } from './import-source.ts';
import { type RetryPolicy, withRetries } from './retry.ts';

/** Takes a body of NDJSON and says what became of it. */
export type Destination = (body: Buffer, onSent?: (bytes: number) => void) => Promise<IngestResult>;

export const sendTo =
  (config: ClientConfig, upload: Omit<Upload, 'body'>): Destination =>
  (body, onSent) =>
    sendMessages(config, { ...upload, body }, onSent);

/** What `--dry-run` has instead of a server: the same check of each message. */
export const checkOnly = (): Destination => async (body) => {
  const result: IngestResult = { accepted: 0, unchanged: 0, rejected: 0, version: 0, errors: [] };
  for (const [index, text] of body
    .toString()
    .replace(/^\ufeff/, '')
    .split('\n')
    .entries()) {
    if (text.trim() === '') continue;
    const fault = faultOf(text);
    if (fault === undefined) result.accepted++;
    else {
      result.rejected++;
      result.errors.push({ line: index + 1, message: fault });
    }
  }
  return result;
};

/** A lost connection costs at most this much. */
const maxBytes = 8 * 1024 * 1024;
const shownFaults = 10;

/** Portions go one after the other, for their order may matter; the next one is read while one is under way. */
export async function runImport(
  sources: ImportSource[],
  options: ImportOptions,
  destination: Destination,
  errors: ErrorsFile,
): Promise<ImportOutcome> {
  const outcome: ImportOutcome = {
    lines: 0,
    accepted: 0,
    unchanged: 0,
    rejected: 0,
    version: 0,
    seconds: 0,
    firstFaults: [],
  };
  const startedAt = performance.now();
  const elapsed = () => (performance.now() - startedAt) / 1000;
  const totalBytes = sumOrUnknown(sources.map(({ sizeBytes }) => sizeBytes));
  let doneBytes = 0;
  let doneLine = 0;
  const progress = showProgress(() => ({ doneBytes, totalBytes, lines: outcome.lines, seconds: elapsed() }), {
    isWanted: options.progress ?? false,
  });
  const policy = retryPolicy(options, progress);

  async function importOne(source: ImportSource, isFirst: boolean): Promise<void> {
    doneLine = isFirst ? options.skipLines : 0;
    const before = doneBytes;
    const iterator = readPortions(source, sourceOptions(source, options, doneLine), progress.say);
    const readNext = async () => ({ portion: (await iterator.next()).value, readBytes: source.readBytes });
    let reading = readNext();
    for (;;) {
      const { portion, readBytes } = await reading;
      if (!portion) break;
      reading = readNext();
      reading.catch(() => undefined); // awaited in the next round, if that comes
      const bytesBefore = doneBytes;
      const linesBefore = outcome.lines;
      const { body, firstLine, lastLine } = portion;
      const bytesAfter = before + readBytes;
      const onSent = (sent: number) => {
        const share = Math.min(1, sent / body.length);
        doneBytes = bytesBefore + (bytesAfter - bytesBefore) * share;
        outcome.lines = linesBefore + Math.floor((lastLine - firstLine + 1) * share);
      };
      const send = (part: Buffer, hear?: (bytes: number) => void) => withRetries(() => destination(part, hear), policy);
      const answer = body.length > 0 ? await send(body, onSent) : undefined;
      const found =
        answer && (errors.isWanted ? await findFaults(portion, answer, send) : namedFaults(portion, answer));
      const faults = [...portion.faults, ...(found ?? [])].toSorted((a, b) => a.line - b.line);
      errors.add(source.name, faults);
      const room = shownFaults - outcome.firstFaults.length;
      outcome.firstFaults.push(...faults.slice(0, room).map((fault) => ({ ...fault, file: source.name })));
      outcome.accepted += answer?.accepted ?? 0;
      outcome.unchanged += answer?.unchanged ?? 0;
      outcome.rejected += (answer?.rejected ?? 0) + portion.faults.length;
      outcome.version = answer?.version ?? outcome.version;
      outcome.lines = linesBefore + lastLine - firstLine + 1;
      doneBytes = bytesAfter;
      doneLine = lastLine;
    }
    doneBytes = before + source.readBytes;
  }

  let filesDone = 0;
  const failureOf = (error: unknown) => ({ error, doneLine, files: sources.slice(filesDone).map(({ file }) => file) });
  const interrupt = () => {
    progress.stop();
    process.stderr.write(`faultline: ${explainFailure(failureOf('it was interrupted'), options).message}\n`);
    process.exit(130);
  };
  process.once('SIGINT', interrupt);
  try {
    for (const source of sources) {
      await importOne(source, filesDone === 0);
      filesDone++;
    }
  } catch (error) {
    // Refused before anything was taken: the sentence says it all.
    if (outcome.accepted === 0 && !(error instanceof TemporaryFailure)) throw error;
    outcome.failure = failureOf(error);
  } finally {
    process.off('SIGINT', interrupt);
    progress.stop();
  }
  outcome.seconds = elapsed();
  return outcome;
}

const namedFaults = (portion: Parameters<typeof findFaults>[0], { errors }: IngestResult) =>
  errors.map(({ line, message }) => ({ ...portion.origin(line), message }));

function retryPolicy({ retries }: ImportOptions, progress: ProgressLine): RetryPolicy {
  return {
    retries,
    isTemporary: (error) => error instanceof TemporaryFailure,
    atLeastMs: (error) => (error instanceof TemporaryFailure ? error.retryAfterMs : 0),
    onRetry: (error, waitMs, attempt) => {
      const reason = error instanceof Error ? error.message : String(error);
      progress.say(`${reason}; trying again in ${waitMs / 1000} s (${attempt} of ${retries})`);
    },
  };
}

function sourceOptions({ name }: ImportSource, options: ImportOptions, skipLines: number): SourceOptions {
  return {
    format: options.format ?? formatOf(name),
    delimiter: options.delimiter ?? (/\.tsv(\.gz)?$/i.test(name) ? '\t' : ','),
    renamings: options.map ?? [],
    maxLines: Math.max(1, options.linesPerRequest),
    maxBytes,
    skipLines,
  };
}

function faultOf(text: string): string | undefined {
  try {
    const message = parseMessage(JSON.parse(text));
    return typeof message === 'string' ? message : undefined;
  } catch {
    return 'it is not valid JSON';
  }
}

function sumOrUnknown(sizes: Array<number | undefined>): number | undefined {
  let sum = 0;
  for (const size of sizes) {
    if (size === undefined) return undefined;
    sum += size;
  }
  return sum;
}
