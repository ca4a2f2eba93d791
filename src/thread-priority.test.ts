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
