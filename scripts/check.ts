/**
 * `npm run check`            everything that must hold before a change lands
 * `npm run check -- --fast`  the same without the tests
 * `npm run check -- DIR`     the same for another tree; the tests of this script use it
 *
 * All steps run, whatever the ones before said; the output of those that failed comes at the end, and the exit code is 1 then.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

type Step = { name: string; command: string; args: string[] };
type Outcome = { name: string; isGood: boolean; output: string };

const here = fileURLToPath(new URL('..', import.meta.url));
const { values, positionals } = parseArgs({ allowPositionals: true, options: { fast: { type: 'boolean' } } });
const root = resolve(positionals[0] ?? here);

const steps: Step[] = [
  { name: 'format', command: 'biome', args: ['check', '--error-on-warnings', '.'] },
  { name: 'lint', command: 'oxlint', args: ['--type-aware', '--deny-warnings'] },
  { name: 'types', command: 'tsc', args: ['--noEmit', '-p', '.'] },
  ...(existsSync(join(root, 'web')) ? [{ name: 'types, page', command: 'tsc', args: ['--noEmit', '-p', 'web'] }] : []),
  { name: 'import rules', command: process.execPath, args: [join(here, 'scripts/import-rules.ts'), root] },
  { name: 'dead code', command: 'knip', args: ['--no-progress', '--no-config-hints'] },
  ...(values.fast ? [] : [{ name: 'tests', command: process.execPath, args: [join(root, 'scripts/test.ts')] }]),
];

const failures: Outcome[] = [];
for (const step of steps) {
  const startedAt = performance.now();
  const outcome = await runStep(step);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  print(`${outcome.isGood ? 'ok    ' : 'FAILED'}  ${step.name.padEnd(12)} ${seconds.padStart(6)} s`);
  if (!outcome.isGood) failures.push(outcome);
}
for (const { name, output } of failures) print(`\n--- ${name}\n${output.trimEnd()}`);
if (failures.length > 0) print(`\nFailed: ${failures.map(({ name }) => name).join(', ')}.`);
process.exitCode = failures.length > 0 ? 1 : 0;

/** The tools are those of the lockfile, whatever else the machine has. */
function runStep({ name, command, args }: Step): Promise<Outcome> {
  const tools = join(here, 'node_modules/.bin');
  if (!existsSync(tools)) throw new Error('The tools are not installed: run "npm ci" first.');
  const env = { ...process.env, PATH: `${tools}${delimiter}${process.env['PATH'] ?? ''}` };
  const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  return new Promise((resolveStep) => {
    child.once('error', (error) => resolveStep({ name, isGood: false, output: error.message }));
    child.once('close', (code) => resolveStep({ name, isGood: code === 0, output }));
  });
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
