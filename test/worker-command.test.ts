import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { forkWorker } from '../src/workflows/worker/fork-worker.ts';
import { startProtocolServer } from '../src/workflows/worker/testing/protocol-server.ts';
import { finished, makeHome, until } from '../src/workflows/worker/testing/worker-under-test.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const tasks = {
  'tasks/a.ts': `
    import { writeFileSync } from 'node:fs';
    export const QUICK = () => 'quick';
    export const TOKEN = () => process.env.FAULTLINE_TOKEN ?? 'unknown';
    export const PID = ({ log }: any) => { log(process.pid); return new Promise(() => {}); };
    export const LOOP = ({ log }: any) => { log(process.pid); setTimeout(() => { writeFileSync('looping', ''); for (;;); }, 300); return new Promise(() => {}); };
  `,
};

async function startServer(leaseSeconds = 10) {
  const server = await startProtocolServer({ leaseSeconds, token: 'a-secret-token' });
  onTestFinished(() => server.close());
  return server;
}

type Started = { child: ChildProcess; output: () => string; exited: Promise<[number | null, NodeJS.Signals | null]> };

function startCommand(url: string, home: string, ...more: string[]): Started {
  const child = spawn(process.execPath, [main, 'worker', '--url', url, '--home', home, ...more], {
    env: { ...process.env, FAULTLINE_TOKEN: 'a-secret-token', FAULTLINE_WORKER_GRACE: '1' },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const exited = new Promise<[number | null, NodeJS.Signals | null]>((resolve) =>
    child.once('exit', (code, signal) => resolve([code, signal])),
  );
  return { child, output: () => output, exited };
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test('the command runs tasks, without its token in their reach, and hands back and exits 0 at SIGTERM', async () => {
  const server = await startServer();
  const { child, exited, output } = startCommand(server.url, await makeHome(tasks));
  const [token] = await finished(server, server.add('TOKEN'));
  expect(token.result).toBe('unknown');
  const id = server.add('PID');
  await until(() => server.get(id).lines.length > 0);
  child.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
  // Whether the server of the test has noticed meanwhile that nobody waits any more is not the worker's business.
  expect(server.get(id).releases).toBe(1);
  await until(() => !isAlive(Number(server.get(id).lines[0])));
  expect(output()).not.toContain('a-secret-token');
});

test('a second SIGTERM ends it at once', async () => {
  const server = await startServer();
  const { child, exited, output } = startCommand(server.url, await makeHome(tasks));
  const id = server.add('PID');
  await until(() => server.get(id).lines.length > 0);
  child.kill('SIGTERM');
  await until(() => output().includes('worker stopping'));
  child.kill('SIGTERM');
  expect(await exited).toEqual([1, null]);
  expect(server.get(id).status).toBe('running');
});

test('a refused token is said in one sentence, exit code 1', async () => {
  const server = await startServer();
  const { exited, output } = startCommand(server.url, await makeHome({}), '--token', 'another-token');
  expect(await exited).toEqual([1, null]);
  expect(output()).toContain('faultline: The service refused this worker: The token is not valid. (HTTP 401)');
  expect(output()).not.toContain('    at ');
});

test('settings that cannot be used are named together, exit code 2', async () => {
  const { exited, output } = startCommand('http://127.0.0.1:1', '.', '--concurrency', '0', '--name', 'a b');
  expect(await exited).toEqual([2, null]);
  expect(output()).toMatch(/FAULTLINE_WORKER_NAME must be .*FAULTLINE_WORKER_CONCURRENCY must be a whole number/s);
});

test('after kill -9 of a worker its tasks are taken over by another, and its processes are gone, also one in an endless loop', async () => {
  const server = await startServer(1);
  const home = await makeHome(tasks);
  const first = startCommand(server.url, home, '--name', 'first');
  const ids = [server.add('LOOP'), server.add('PID')];
  await until(() => ids.every((id) => server.get(id).lines.length > 0) && existsSync(join(home, 'looping')));
  const pid = Number(server.get(ids[0]).lines[0]);
  first.child.kill('SIGKILL');
  await first.exited;
  await until(() => !isAlive(pid));
  startCommand(server.url, home, '--name', 'second');
  await until(() => ids.every((id) => server.get(id).worker === 'second'));
  expect(server.get(ids[1]).task.attempt).toBe(2);
});

test('after kill -9 of a host its task fails, and the next one runs in a fresh host', async () => {
  const server = await startServer();
  startCommand(server.url, await makeHome(tasks));
  const id = server.add('PID');
  await until(() => server.get(id).lines.length > 0);
  process.kill(Number(server.get(id).lines[0]), 'SIGKILL');
  const [killed] = await finished(server, id);
  expect(killed.error?.message).toContain('had its process killed');
  const [next] = await finished(server, server.add('QUICK'));
  expect(next.result).toBe('quick');
});

test('a forked worker is started again when it dies, and hands back when it is stopped', async () => {
  const server = await startServer(1);
  const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
  const home = await makeHome(tasks);
  const settings = { FAULTLINE_WORKER_GRACE: '0', FAULTLINE_LOG: 'silent' };
  const forked = forkWorker({ url: server.url, token: 'a-secret-token', home, settings, log });
  onTestFinished(() => forked.stop());
  await finished(server, server.add('QUICK'));
  const pid = forked.pid();
  process.kill(Number(pid), 'SIGKILL');
  const [again] = await finished(server, server.add('QUICK'));
  expect(again.result).toBe('quick');
  expect(forked.pid()).not.toBe(pid);
  const held = server.add('PID');
  await until(() => server.get(held).lines.length > 0);
  await forked.stop();
  expect(server.get(held).releases).toBe(1);
});

test('a forked worker ends when the process that forked it does', async () => {
  const server = await startServer();
  const home = await makeHome(tasks);
  const module = new URL('../src/workflows/worker/fork-worker.ts', import.meta.url).href;
  const log = '{ debug() {}, info() {}, warn() {}, error() {} }';
  const script = `import { forkWorker } from '${module}';
    const forked = forkWorker({ url: '${server.url}', token: 'a-secret-token', home: '${home}', log: ${log},
      settings: { FAULTLINE_WORKER_GRACE: '0', FAULTLINE_LOG: 'silent' } });
    console.log(forked.pid());
    setInterval(() => {}, 1000);`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script]);
  let output = '';
  parent.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const id = server.add('PID');
  await until(() => server.get(id).lines.length > 0);
  parent.kill('SIGKILL');
  await until(() => !isAlive(Number(output)));
  expect(server.get(id).releases).toBe(1);
});
