import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll } from 'vitest';

/** Where a program is, or undefined on a machine without it. */
export function findProgram(name: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((directory) => join(directory, name))
    .find((file) => existsSync(file));
}

const patienceMs = 60_000;

/** Runs a server until the tests of the file are over, and waits until `address` answers. */
export async function startProgram(program: string, args: string[], address: string): Promise<void> {
  // The shell in between waits for the end of its input, which also comes when this process is killed: nothing stays behind.
  const server = spawn('sh', ['-c', guardScript, 'sh', program, ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  const keep = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-10_000);
  };
  server.stdout.on('data', keep);
  server.stderr.on('data', keep);
  const exited = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  afterAll(async () => {
    server.stdin.end();
    await exited;
  });
  for (const giveUpAt = Date.now() + patienceMs; ; await sleep(100)) {
    const answer = await fetch(address).catch(() => undefined);
    if (answer?.ok) return;
    if (server.exitCode !== null || Date.now() > giveUpAt) throw new Error(`${program} does not start:\n${output}`);
  }
}

const guardScript = `
exec 3<&0
"$@" </dev/null & server=$!
( read _ <&3; kill -KILL $server 2>/dev/null ) & watcher=$!
wait $server; code=$?
kill $watcher 2>/dev/null
exit $code`;
