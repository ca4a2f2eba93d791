import { badRequest, FaultlineError } from '../errors.ts';
import type { ClientOptions } from './client-options.ts';
import type { Renaming } from './csv-messages.ts';
import { formatCount, rate } from './import-progress.ts';
import type { ImportFormat } from './import-source.ts';
import type { LineFault } from './portion.ts';

export type ImportOptions = ClientOptions & {
  team: string;
  format?: ImportFormat;
  delimiter?: string;
  map?: Renaming[];
  remove?: boolean;
  errors?: string;
  allowErrors?: boolean;
  skipLines: number;
  dryRun?: boolean;
  progress?: boolean;
  retries: number;
  linesPerRequest: number;
};

export type Totals = { lines: number; accepted: number; unchanged: number; rejected: number; version: number };

/** `files` are those that are not done, `doneLine` is the last line of the first of them that was taken. */
export type ImportFailure = { error: unknown; files: string[]; doneLine: number };

export type ImportOutcome = Totals & {
  seconds: number;
  firstFaults: Array<LineFault & { file: string }>;
  /** How far it came, if it did not come to the end. */
  failure?: ImportFailure;
};

export function describeSummary(outcome: ImportOutcome, options: ImportOptions): string {
  const { lines, accepted, unchanged, rejected, version, seconds } = outcome;
  const perSecond = Math.round(rate(lines, seconds));
  if (options.json) {
    const totals = { lines, accepted, unchanged, rejected, version: options.dryRun ? null : version };
    return JSON.stringify(
      { ...totals, seconds: Number(seconds.toFixed(3)), lines_per_second: perSecond },
      undefined,
      2,
    );
  }
  const time = `${formatCount(lines)} lines in ${seconds.toFixed(1)} s (${formatCount(perSecond)} lines/s)`;
  if (options.dryRun) return `${time}: ${formatCount(accepted)} good, ${formatCount(rejected)} bad; nothing was sent.`;
  const verb = options.remove ? 'taken back' : 'accepted';
  return `${time}: ${formatCount(accepted)} ${verb}, ${formatCount(unchanged)} of them unchanged; ${formatCount(rejected)} rejected; version ${version}.`;
}

/** A few, to see what it is about; the rest is for `--errors`. */
export function sayFirstFaults({ firstFaults, rejected }: ImportOutcome): void {
  for (const { file, line, message } of firstFaults) process.stderr.write(`${file}:${line}: ${message}\n`);
  if (firstFaults.length > 0 && rejected > firstFaults.length)
    process.stderr.write(`… and ${formatCount(rejected - firstFaults.length)} more\n`);
}

/** Throws what makes the exit code 1. */
export function endWith(outcome: ImportOutcome, options: ImportOptions): void {
  const { failure, rejected, lines } = outcome;
  if (failure) throw explainFailure(failure, options);
  if (rejected === 0 || options.allowErrors) return;
  const where = options.errors === undefined ? 'add --errors FILE to have them all' : `they are in ${options.errors}`;
  throw badRequest(`${formatCount(rejected)} of ${formatCount(lines)} lines were rejected; ${where}.`);
}

/** How far it came, and how to go on. */
export function explainFailure({ error, files, doneLine }: ImportFailure, options: ImportOptions): FaultlineError {
  const reason = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
  const place = files[0] === '-' ? 'standard input' : files[0];
  const reached = doneLine === 0 ? 'none of its lines is known to be taken' : `its lines up to ${doneLine} were taken`;
  const words = ['--team', options.team, ...(doneLine === 0 ? [] : ['--skip-lines', String(doneLine)]), ...files];
  return new FaultlineError(
    'unavailable',
    `The import broke off in ${place}: ${reason}; ${reached}. ` +
      'Running the same command again is harmless. To go on from there, with your other options:\n' +
      `  faultline import ${words.map(quoteForShell).join(' ')}`,
  );
}

const quoteForShell = (text: string): string =>
  /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
