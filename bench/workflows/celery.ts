import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Figures } from '../harness/case.ts';
import { startRedis } from './redis.ts';
import { here, type System } from './system.ts';

/** Debian's package works with Debian's interpreter, which need not be the first one found. */
const interpreters = ['/usr/bin/python3', 'python3'];
/** Processes, not tasks at once: more of them than processors only wait for each other. */
const processes = 2;
const patienceMs = 120_000;

type Python = { interpreter: string; version: string };

export function findCelery(): Python | undefined {
  for (const interpreter of interpreters) {
    try {
      const script = 'import celery, redis; print(celery.__version__)';
      const version = execFileSync(interpreter, ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] });
      return { interpreter, version: version.toString().trim() };
    } catch {
      // not there, or without Celery
    }
  }
  return undefined;
}

export async function startCelery({ interpreter, version }: Python): Promise<System> {
  const redis = await startRedis('everysec');
  const directory = await mkdtemp(join(tmpdir(), 'faultline-celery-'));
  const env = {
    ...process.env,
    REDIS_PORT: String(redis.port),
    PYTHONPATH: here('.'),
    PYTHONPYCACHEPREFIX: directory,
    PYTHONUNBUFFERED: '1',
  };
  const run = (args: string[]): ChildProcess =>
    spawn(interpreter, args, { env, cwd: directory, stdio: ['pipe', 'pipe', 'pipe'] });
  const settings = ['-P', 'prefork', '-c', String(processes), '--without-gossip', '--without-mingle', '-l', 'warning'];
  const worker = run(['-m', 'celery', '-A', 'celery_app', 'worker', ...settings]);
  const loader = run([here('celery_load.py')]);
  await heard(loader, /ready for loads/);
  return {
    version: `${version} on ${redis.version}`,
    async run(load) {
      loader.stdin?.write(`${JSON.stringify(load)}\n`);
      const [, figures = ''] = await heard(loader, /figures (.*)\n/);
      return JSON.parse(figures) as Figures; // what the script prints
    },
    async stop() {
      await Promise.all([loader, worker].map(end));
      await redis.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Waits until a process has said something from now on. */
function heard(child: ChildProcess, wanted: RegExp): Promise<RegExpExecArray> {
  let output = '';
  return new Promise((resolve, reject) => {
    const finish = (act: () => void): void => {
      clearTimeout(timer);
      child.stdout?.off('data', listen);
      child.stderr?.off('data', listen);
      child.off('exit', fail);
      act();
    };
    const listen = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-20_000);
      const found = wanted.exec(output);
      if (found) finish(() => resolve(found));
    };
    const fail = (): void => finish(() => reject(new Error(`Celery does not answer:\n${output}`)));
    const timer = setTimeout(fail, patienceMs);
    child.stdout?.on('data', listen);
    child.stderr?.on('data', listen);
    child.once('exit', fail);
  });
}

/** The worker ends its processes itself when it is asked twice. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const impatience = setTimeout(() => child.kill('SIGKILL'), 5000);
  await exited;
  clearTimeout(impatience);
}
