import { FaultlineError, StartupError } from '../errors.ts';
import { ServerRefusal } from './client.ts';

/** 2: it could not even begin (settings, address, usage). 1: it began and was refused or failed. One sentence, no stack. */
export function exitWith(error: unknown): never {
  if (error instanceof StartupError) {
    process.stderr.write(`faultline: ${error.message}\n`);
    process.exit(2);
  }
  if (error instanceof FaultlineError || error instanceof ServerRefusal) {
    const details = (error.details ?? []).map((detail) => `\n  ${detail.path}: ${detail.message}`).join('');
    process.stderr.write(`faultline: ${error.message}${details}\n`);
    process.exit(1);
  }
  process.stderr.write(`faultline: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(1);
}
