import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';

export type Redis = { port: number; version: string; stop(): Promise<void> };

/** `always` syncs before it answers, as PostgreSQL does; `everysec` may lose the last second in a power cut. */
export type Fsync = 'everysec' | 'always';

export function redisVersion(): string | undefined {
  try {
    return /v=(\S+)/.exec(execFileSync('redis-server', ['--version']).toString())?.[1];
  } catch {
    return undefined;
  }
}

/** A server of our own with an append-only file, on a free loopback port, in a temporary directory that goes with it. */
export async function startRedis(fsync: Fsync): Promise<Redis> {
  const version = redisVersion();
  if (version === undefined) throw new Error('There is no redis-server on this machine.');
  const directory = await mkdtemp(join(tmpdir(), 'faultline-redis-'));
  const port = await freePort();
  const settings = { port, bind: '127.0.0.1', dir: directory, save: '', appendonly: 'yes', appendfsync: fsync };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const server = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const killAtExit = (): boolean => server.kill('SIGKILL');
  process.once('exit', killAtExit);
  const exited = once(server, 'exit');
  await new Promise<void>((resolve, reject) => {
    server.stdout.on('data', (text: Buffer) => {
      if (text.includes('Ready to accept connections')) resolve();
    });
    void exited.then(() => reject(new Error('redis-server does not start.')));
  });
  return {
    port,
    version: `Redis ${version}, AOF ${fsync}`,
    async stop() {
      server.kill('SIGKILL');
      await exited;
      process.off('exit', killAtExit);
      await rm(directory, { recursive: true, force: true });
    },
  };
}
