/** A process that wants the directory in its argument: prints `won` and holds it until its input ends, or prints the refusal. */
import { lockDirectory } from '../../src/db/lock.ts';

const directory = process.argv[2] ?? '';
try {
  const lock = await lockDirectory(directory);
  process.stdout.write('won\n');
  process.stdin.resume();
  process.stdin.once('end', () => void lock.release());
} catch (error) {
  process.stdout.write(`${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}\n`);
}
