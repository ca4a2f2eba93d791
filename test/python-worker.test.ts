import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startProtocolServer } from '../src/workflows/worker/testing/protocol-server.ts';
import { finished, until } from '../src/workflows/worker/testing/worker-under-test.ts';

const program = fileURLToPath(new URL('../examples/python-worker/worker.py', import.meta.url));
const hasPython = spawnSync('python3', ['--version']).status === 0;

async function start(options: { leaseSeconds?: number; token?: string } = {}) {
  const server = await startProtocolServer({ leaseSeconds: options.leaseSeconds, token: 'good' });
  onTestFinished(() => server.close());
  const child = spawn('python3', [program], {
    env: {
      ...process.env,
      FAULTLINE_URL: server.url,
      FAULTLINE_TOKEN: options.token ?? 'good',
      FAULTLINE_WORKER_GRACE: '1',
    },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  return { server, child, exited, output: () => output };
}

describe.skipIf(!hasPython)(`the example worker in Python${hasPython ? '' : ' (python3 is not installed)'}`, () => {
  test('runs tasks and reports results, failures, logs and progress', async () => {
    const { server } = await start();
    const many = Array.from({ length: 50 }, (_, n) => server.add('PY_SUM', { payload: { numbers: [n, 1] } }));
    const [count, bad, ...sums] = await finished(
      server,
      server.add('PY_COUNT', { payload: { to: 8 } }),
      server.add('PY_SUM', { payload: { numbers: ['a'] } }),
      ...many,
    );
    expect(sums.map((row) => row.result)).toEqual(many.map((_, n) => n + 1));
    expect(sums[0].lines).toEqual(['adding 2 numbers']);
    expect(count.result).toBe(8);
    expect(count.progress.length).toBeGreaterThan(0);
    expect(bad.error?.message).toContain('unsupported operand');
    expect(bad.error?.stack).toContain('worker.py');
    expect(server.claims[0]).toMatchObject({ tasks: ['PY_COUNT', 'PY_SUM'], max: 10 });
  });

  test('renews leases, keeps results while the service is away, and stops what was canceled or took too long', async () => {
    const { server, output } = await start({ leaseSeconds: 2 });
    const long = server.add('PY_COUNT', { payload: { to: 25 } });
    const canceled = server.add('PY_COUNT', { payload: { to: 1000 } });
    const slow = server.add('PY_COUNT', { payload: { to: 1000 }, timeout_seconds: 0.5 });
    await until(() => server.get(canceled).status === 'running');
    server.cancel(canceled);
    server.faults.push({ path: 'report', status: 503 }, { path: 'report', status: 'drop' });
    const rows = await finished(server, long, canceled, slow);
    expect(rows.map((row) => row.result ?? row.error?.message)).toEqual([
      25,
      'the task was canceled',
      'the task took longer than its time-out of 0.5 seconds',
    ]);
    expect(rows.map((row) => [row.task.attempt, row.recorded])).toEqual([
      [1, 1],
      [1, 1],
      [1, 1],
    ]);
    expect(output()).toContain('trying again');
  });

  test('hands back at SIGTERM and exits 0', async () => {
    const { server, child, exited } = await start();
    const id = server.add('PY_COUNT', { payload: { to: 1000 } });
    await until(() => server.get(id).status === 'running');
    child.kill('SIGTERM');
    expect(await exited).toBe(0);
    expect([server.get(id).status, server.get(id).releases]).toEqual(['ready', 1]);
  });

  test('a refused token ends it with a sentence', async () => {
    const { exited, output } = await start({ token: 'bad' });
    expect(await exited).toBe(1);
    expect(output()).toContain('The service refused this worker: HTTP 401: The token is not valid.');
  });
});
