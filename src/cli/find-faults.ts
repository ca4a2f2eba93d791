import type { IngestResult } from './import-request.ts';
import { type LineFault, type Portion, sliceLines } from './portion.ts';

/** So many fit into the list of one answer. */
const listedPerAnswer = 100;

/**
 * All rejected lines of a portion, whose first hundred the server named. The lines after the last named one are sent again, in pieces
 * so small that an answer names all of theirs: the good ones among them were taken before, and taking them again changes nothing.
 *
 *   answer: 250 of 50,000 rejected, the 100th is line 20,000   →   20,001–30,000, 30,001–40,000, 40,001–50,000
 */
export async function findFaults(
  portion: Portion,
  answer: Pick<IngestResult, 'rejected' | 'errors'>,
  send: (body: Buffer) => Promise<IngestResult>,
): Promise<LineFault[]> {
  const faults = answer.errors.map(({ line, message }) => ({ ...portion.origin(line), message }));
  let missing = answer.rejected - faults.length;
  let next = (answer.errors.at(-1)?.line ?? 0) + 1;
  while (missing > 0 && next <= portion.lines) {
    const share = missing / (portion.lines - next + 1);
    const last = Math.min(portion.lines, next + Math.max(listedPerAnswer, Math.floor(listedPerAnswer / 2 / share)) - 1);
    const { rejected, errors } = await send(sliceLines(portion.body, next, last));
    for (const { line, message } of errors) faults.push({ ...portion.origin(next + line - 1), message });
    missing -= errors.length;
    // More than an answer can name: go on after the last one that it did.
    const lastNamed = errors.at(-1);
    next = rejected > errors.length && lastNamed ? next + lastNamed.line : last + 1;
  }
  return faults;
}
