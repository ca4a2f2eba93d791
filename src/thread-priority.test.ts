import { execFileSync } from 'node:child_process';
import { getPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';

const script = `
  const { getPriority } = require('node:os');
  const { parentPort, workerData } = require('node:worker_threads');
  import(workerData).then(({ stepBack }) => {
    stepBack(7);
    parentPort.postMessage(getPriority());
  });`;

test.runIf(process.platform === 'linux')('a thread steps back alone', async () => {
  const before = getPriority();
  const workerData = new URL('thread-priority.ts', import.meta.url).href;
  const worker = new Worker(script, { eval: true, workerData, execArgv: [] });
  const priority = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  await worker.terminate();
  expect(priority).toBe(Math.max(7, before));
  expect(getPriority()).toBe(before);
});

test.runIf(process.platform === 'linux')('the collectors of a process step back, its event loop does not', () => {
  const module = new URL('thread-priority.ts', import.meta.url).href;
  // Fields of stat behind the name of the thread: the 19th of all is its niceness.
  const program = `
    import { readdirSync, readFileSync } from 'node:fs';
    import { stepBackCollectors } from ${JSON.stringify(module)};
    stepBackCollectors(7);
    const read = (id) => /\\((.*)\\)(.*)/.exec(readFileSync('/proc/self/task/' + id + '/stat', 'utf8'));
    const threads = readdirSync('/proc/self/task').map(read).map(([, name, rest]) => [name, Number(rest.split(' ')[17])]);
    console.log(JSON.stringify(threads));`;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  const threads = JSON.parse(output) as [string, number][]; // printed above
  const nicenessOf = (isCollector: boolean) => [
    ...new Set(threads.filter(([name]) => (name === 'V8Worker') === isCollector).map(([, niceness]) => niceness)),
  ];
  expect(nicenessOf(true)).toEqual([Math.max(7, getPriority())]);
  expect(nicenessOf(false)).toEqual([getPriority()]);
});
