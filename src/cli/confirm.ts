import { createInterface } from 'node:readline/promises';
import { StartupError } from '../errors.ts';

/** Asks a person; where there is none, the command must have been given `--yes`. */
export async function confirm(question: string): Promise<void> {
  if (!process.stdin.isTTY) throw new StartupError(`${question} Nobody is there to ask; add --yes.`);
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await prompt.question(`${question} [y/N] `).finally(() => prompt.close());
  if (!/^y(es)?$/i.test(answer.trim())) throw new StartupError('Nothing was changed.');
}
