import { describe, expect, test } from 'vitest';
import { startProtocolServer } from './testing/protocol-server.ts';
import { finished, pause, startWorker, until } from './testing/worker-under-test.ts';

const tasks = {
  'tasks/a.ts': `
    export const QUICK = ({ payload }: any) => payload.n ?? null;
    export const HOLD = ({ payload }: any) => new Promise((resolve) => setTimeout(() => resolve('held'), payload.ms ?? 1000));
    let atOnce = 0;
    export const COUNT = async () => {
      const seen = ++atOnce;
      await new Promise((resolve) => setTimeout(resolve, 30));
      atOnce--;
      return seen;
    };
    export const STEPS = async ({ progress }: any) => {
      for (const part of [0.25, 0.5, 2]) { progress(part); await new Promise((resolve) => setTimeout(resolve, 1500)); }
    };
    export const LARGE = ({ payload }: any) => 'x'.repeat(payload.size);
    export const CHATTY = ({ log }: any) => { for (let i = 0; i < 10_100; i++) log('line', i, 'y'.repeat(200)); };
    export const UNTIL_TOLD = ({ signal }: any) => new Promise((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason)));
    export const DEAF = () => new Promise(() => {});
  `,
};

describe('claims and reports', () => {
  test('a worker asks for the tasks that it has, in the queues that it was given, never for more than it has room for', async () => {
    const { server } = await startWorker(tasks, {
      concurrency: 3,
      queues: ['a', 'b'],
      tasks: ['QUICK', 'COUNT', 'OTHER'],
    });
    const ids = Array.from({ length: 20 }, () => server.add('COUNT', { queue: 'b' }));
    const others = [server.add('QUICK', { queue: 'c' }), server.add('STEPS', { queue: 'a' })];
    const rows = await finished(server, ...ids);
    expect(Math.max(...rows.map((row) => Number(row.result)))).toBe(3);
    expect(others.map((id) => server.get(id).status)).toEqual(['ready', 'ready']);
    expect(server.claims[0]).toMatchObject({
      worker: 'tester:1',
      queues: ['a', 'b'],
      tasks: ['COUNT', 'QUICK'],
      max: 3,
    });
  });

  test('results that are ready together go in one report, and the next tasks come with its answer', async () => {
    const { server } = await startWorker(tasks, { concurrency: 50 });
    const ids = Array.from({ length: 500 }, (_, n) => server.add('QUICK', { payload: { n } }));
    const rows = await finished(server, ...ids);
    expect(rows.map((row) => row.result)).toEqual(ids.map((_, n) => n));
    expect(server.reports.length).toBeLessThan(250);
    expect(server.reports.some((report) => report.max > 0)).toBe(true);
  });

  test('new work arrives while a long task runs', async () => {
    const { server } = await startWorker(tasks, { concurrency: 2 });
    const long = server.add('HOLD', { payload: { ms: 3000 } });
    await until(() => server.get(long).status === 'running');
    await pause(200);
    await finished(server, server.add('QUICK'));
    expect(server.get(long).status).toBe('running');
  });

  test('leases are renewed while a task runs, and progress is told', async () => {
    const { server } = await startWorker(tasks, { leaseSeconds: 2 });
    const [held, steps] = await finished(server, server.add('HOLD', { payload: { ms: 4500 } }), server.add('STEPS'));
    expect(held.task.attempt).toBe(1);
    expect(held.renewals).toBeGreaterThan(2);
    expect(new Set(steps.progress)).toEqual(new Set([0.25, 0.5, 1]));
  });

  test('a task that was given to another is stopped here, and its result is not missed', async () => {
    const { server, warnings } = await startWorker(tasks, { leaseSeconds: 1 });
    const id = server.add('UNTIL_TOLD');
    await until(() => server.get(id).status === 'running');
    server.takeAway(id);
    await until(() => warnings.some((line) => line.includes('no longer ours')));
    const [next] = await finished(server, server.add('QUICK', { payload: { n: 7 } }));
    expect(next.result).toBe(7);
  });

  test('a result that is too large for a report becomes a failure that says so', async () => {
    const { server } = await startWorker(tasks);
    const [large, fine] = await finished(
      server,
      server.add('LARGE', { payload: { size: 1_200_000 } }),
      server.add('LARGE', { payload: { size: 900_000 } }),
    );
    expect(large.error?.message).toMatch(/^the result is 12\d{5} bytes of JSON/);
    expect(large.retryable).toBe(false);
    expect(fine.result).toHaveLength(900_000);
  });

  test('many large results and long logs are spread over reports that the service takes', async () => {
    const { server } = await startWorker(tasks);
    const large = Array.from({ length: 8 }, () => server.add('LARGE', { payload: { size: 400_000 } }));
    const [chatty] = await finished(server, server.add('CHATTY'), ...large);
    expect(chatty.lines).toHaveLength(10_001);
    expect(chatty.lines.at(-1)).toContain('the rest is not kept');
    expect(Math.max(...server.sizes)).toBeLessThanOrEqual(1024 * 1024);
  });
});

describe('a service in trouble', () => {
  test('results are kept and sent again until the service takes them', async () => {
    const { server, warnings } = await startWorker(tasks);
    server.faults.push(
      { path: 'report', status: 503 },
      { path: 'report', status: 'drop' },
      { path: 'report', status: 429 },
      { path: 'claim', status: 500 },
      { path: 'report', status: 200 },
      { path: 'claim', status: 200 },
    );
    const [row] = await finished(server, server.add('QUICK', { payload: { n: 1 } }));
    expect([row.result, row.recorded]).toEqual([1, 1]);
    expect(server.faults).toEqual([]);
    expect(warnings.some((line) => line.includes('sent again'))).toBe(true);
  });

  test('a batch that is refused is sent one by one, and a single result that is refused fails its task', async () => {
    const { server } = await startWorker(tasks);
    await finished(server, server.add('QUICK'));
    server.faults.push({ path: 'report', status: 400, message: 'odd' });
    const [row] = await finished(server, server.add('QUICK'));
    expect(row.error?.message).toBe('the service did not take the result: odd (HTTP 400)');
  });

  test('a rejected result is dropped with a line in the log', async () => {
    const { server, warnings } = await startWorker(tasks);
    const id = server.add('HOLD', { payload: { ms: 300 } });
    await until(() => server.get(id).status === 'running');
    server.takeAway(id);
    await until(() => warnings.some((line) => line.includes('a result was rejected')));
    expect(server.get(id).recorded).toBe(0);
  });

  test('a refused token ends the worker with a sentence that says so', async () => {
    const server = await startProtocolServer({ token: 'another' });
    const { worker } = await startWorker(tasks, { url: server.url });
    await expect(worker.ended).rejects.toThrow(/The token is not valid. \(HTTP 401\) Give the worker a valid token/);
    await server.close();
  });
});

test('a token without the scope ends the worker with a sentence that says so', async () => {
  const { worker, server } = await startWorker(tasks);
  server.faults.push({ path: 'claim', status: 403, message: 'No.' });
  // Makes the worker claim again, in case it came before the fault.
  server.add('QUICK');
  await expect(worker.ended).rejects.toThrow('No. (HTTP 403) Its token needs the scope Service.');
});

describe('stopping', () => {
  test('tasks that stop when told, and those that do not, are handed back; what finishes in time is reported', async () => {
    const { server, worker } = await startWorker(tasks, { graceSeconds: 3 });
    const ids = [server.add('UNTIL_TOLD'), server.add('DEAF'), server.add('HOLD', { payload: { ms: 1000 } })];
    await until(() => ids.every((id) => server.get(id).status === 'running'));
    await pause(150);
    await worker.stop();
    await worker.ended;
    expect(ids.map((id) => [server.get(id).status, server.get(id).releases])).toEqual([
      ['ready', 1],
      ['ready', 1],
      ['completed', 0],
    ]);
    expect(server.get(ids[0]).task.attempt).toBe(1);
  });
});
