import { describe, expect, test } from 'vitest';
import { finished, pause, startWorker, until } from './testing/worker-under-test.ts';

/** SLOW is a neighbour that is under way when the other task does its harm. */
const neighbours = `
export const SLOW = () => new Promise((resolve) => setTimeout(() => resolve('slow'), 700));
export const QUICK = () => 'quick';
`;
const home = (guilty: string) => ({ 'tasks/guilty.ts': guilty, 'tasks/neighbours.ts': neighbours });

async function besideNeighbours(
  guilty: string,
  options: Parameters<typeof startWorker>[1] = {},
  timeoutSeconds?: number,
) {
  const started = await startWorker(home(guilty), options);
  const { server } = started;
  const before = [server.add('SLOW'), server.add('SLOW')];
  const bad = server.add('BAD', { timeout_seconds: timeoutSeconds });
  await until(() => server.get(bad).status !== 'ready');
  const after = server.add('QUICK');
  const [row, ...others] = await finished(server, bad, ...before, after);
  expect(others.map((one) => one.result)).toEqual(['slow', 'slow', 'quick']);
  expect(others.map((one) => [one.task.attempt, one.recorded])).toEqual([
    [1, 1],
    [1, 1],
    [1, 1],
  ]);
  return { ...started, message: row.error?.message, row };
}

describe('what one task does to its process does not touch its neighbours', () => {
  test('an endless loop', async () => {
    const { message } = await besideNeighbours('export function BAD() { for (;;); }', { stallSeconds: 1 }, 4);
    expect(message).toMatch(/^the task took longer than its time-out of 4 seconds/);
  });

  test('a crash', async () => {
    const { message } = await besideNeighbours('export function BAD() { process.abort(); }');
    expect(message).toBe('the task crashed its process (SIGABRT)');
  });

  test('a killed process', async () => {
    const { message } = await besideNeighbours(`export function BAD() { process.kill(process.pid, 'SIGKILL'); }`);
    expect(message).toMatch(/^the task had its process killed \(SIGKILL\)/);
  });

  test('process.exit, in a promise and in a callback', async () => {
    const { message, server } = await besideNeighbours(`
      export async function BAD() { await null; process.exit(3); }
      export function LATER() { return new Promise(() => setTimeout(() => process.exit(), 10)); }`);
    expect(message).toBe('the task called process.exit(3)');
    const [later] = await finished(server, server.add('LATER'));
    expect(later.error?.message).toBe('the task called process.exit(0)');
  });

  test('an exit that cannot be seen coming', async () => {
    const { message } = await besideNeighbours('export function BAD() { (process as any).reallyExit(4); }');
    expect(message).toBe('the task ended its process: exit code 4');
  });

  test('exhausted memory', async () => {
    const { message } = await besideNeighbours(
      'export function BAD() { const all: unknown[] = []; for (;;) all.push(new Array(1000).fill({})); }',
      { memoryMb: 48, stallSeconds: 20 },
    );
    expect(message).toBe('the task ran out of memory');
  });

  test('a rejection that nobody handles', async () => {
    const { message, worker } = await besideNeighbours(
      `export async function BAD() { void Promise.reject(new Error('forgotten')); await new Promise(() => {}); }`,
    );
    expect(message).toBe('a promise was rejected and nobody handled it: forgotten');
    expect(worker.hostPids()).toHaveLength(1);
  });

  test('an error in a callback', async () => {
    const { message, worker } = await besideNeighbours(
      `export function BAD() { return new Promise(() => setTimeout(() => { throw new Error('in a timer'); }, 10)); }`,
    );
    expect(message).toBe('an error was thrown and nobody caught it: in a timer');
    expect(worker.hostPids()).toHaveLength(1);
  });
});

describe('when it is not clear which task it was', () => {
  test('an error that belongs to no task ends the host, and each of its tasks runs again alone', async () => {
    const { server } = await startWorker({
      'tasks/a.ts': `import { EventEmitter } from 'node:events';
        const bus = new EventEmitter();
        setInterval(() => { if (bus.listenerCount('x') === 2) throw new Error('nobody’s'); }, 50);
        export const LISTEN = () => new Promise((resolve) => { bus.on('x', () => {}); setTimeout(() => resolve('heard'), 400); });`,
    });
    const rows = await finished(server, server.add('LISTEN'), server.add('LISTEN'));
    expect(rows.map((row) => [row.result, row.task.attempt])).toEqual([
      ['heard', 1],
      ['heard', 1],
    ]);
  });

  test('what a guilty task leaves behind is not blamed on the suspects after it', async () => {
    const { server } = await startWorker(
      home(`export function BAD() {
          setTimeout(() => process.abort(), 300);
          throw new Error('first a failure, then a crash');
        }
        export function BOOM() { process.abort(); }`),
      { concurrency: 30 },
    );
    const slow = Array.from({ length: 12 }, () => server.add('SLOW'));
    await until(() => slow.every((id) => server.get(id).status === 'running'));
    const [bad, boom, ...others] = await finished(server, server.add('BAD'), server.add('BOOM'), ...slow);
    expect(bad.error?.message).toMatch(/first a failure|crashed/);
    expect(boom.error?.message).toContain('crashed its process');
    expect(others.map((row) => row.result)).toEqual(slow.map(() => 'slow'));
  });

  test('a run begins its time-out anew when it is repeated alone', async () => {
    const { server } = await startWorker(
      home(`export function BAD() { process.abort(); }
        export const TIMED = () => new Promise((resolve) => setTimeout(() => resolve('in time'), 4000));`),
    );
    const timed = server.add('TIMED', { timeout_seconds: 6.5 });
    await until(() => server.get(timed).status === 'running');
    // 3 seconds here and 4 alone are more than 6.5.
    await pause(3000);
    const [row] = await finished(server, timed, server.add('BAD'));
    expect(row.result).toBe('in time');
  });

  test('a process that a task left behind and that holds the output does not hide the death of the host', async () => {
    const { server } = await startWorker(
      home(`import { spawn } from 'node:child_process';
        export function BAD() {
          spawn('sleep', ['20'], { stdio: 'inherit', detached: true }).unref();
          return new Promise((resolve) => setTimeout(() => process.abort(), 100));
        }`),
    );
    const [row] = await finished(server, server.add('BAD'));
    expect(row.error?.message).toBe('the task crashed its process (SIGABRT)');
  });
});

describe('time-outs and cancels', () => {
  test('a task hears of its time-out by its signal, and fails with a sentence that says so', async () => {
    const { server } = await startWorker({
      'tasks/a.ts': `export const WAIT = ({ signal, log }: any) => new Promise((_, reject) =>
        signal.addEventListener('abort', () => { log(signal.reason.name); reject(signal.reason); }));`,
    });
    const [row] = await finished(server, server.add('WAIT', { timeout_seconds: 0.3 }));
    expect(row.error?.message).toBe('the task took longer than its time-out of 0.3 seconds');
    expect(row.lines).toEqual(['TimeoutError']);
    expect(row.retryable).toBe(true);
  });

  test('a task that blocks its process alone is ended after its time-out', async () => {
    const { server } = await startWorker(home('export function BAD() { for (;;); }'), { stallSeconds: 0.5 });
    const [row] = await finished(server, server.add('BAD', { timeout_seconds: 1 }));
    expect(row.error?.message).toBe(
      'the task took longer than its time-out of 1 seconds, and it did not stop when told to',
    );
    const [next] = await finished(server, server.add('QUICK'));
    expect(next.result).toBe('quick');
  });

  test('a task that ignores its time-out beside others is abandoned, and its late result ignored', async () => {
    const { server } = await startWorker(
      home(`export const BAD = () => new Promise((resolve) => setTimeout(() => resolve('late'), 1500));
        export const LONG = () => new Promise((resolve) => setTimeout(() => resolve('long'), 2000));`),
    );
    const [long, bad] = [server.add('LONG'), server.add('BAD', { timeout_seconds: 0.2 })];
    const [badRow, longRow] = await finished(server, bad, long);
    expect(badRow.error?.message).toMatch(/did not stop/);
    expect(longRow.result).toBe('long');
    expect([badRow.recorded, longRow.recorded]).toEqual([1, 1]);
  });

  test('a cancel aborts the signal, and a task that ends then is reported as canceled', async () => {
    const { server } = await startWorker({
      'tasks/a.ts': `export const WAIT = ({ signal }: any) => new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason)));
        export const DEAF = () => new Promise(() => {});`,
    });
    const ids = [server.add('WAIT'), server.add('DEAF')];
    await until(() => ids.every((id) => server.get(id).status === 'running'));
    for (const id of ids) server.cancel(id);
    const rows = await finished(server, ...ids);
    expect(rows.map((row) => row.error?.message)).toEqual([
      'the task was canceled',
      'the task was canceled, and it did not stop when told to',
    ]);
    expect(rows.map((row) => row.retryable)).toEqual([false, false]);
  });
});
