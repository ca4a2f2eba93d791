import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, vi } from 'vitest';

// Whole processes start here, several a test: on a busy machine that takes a while.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

export const mainFile = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
export const adminToken = 'admin-token-of-the-tests';

export type Outcome = { code: number | null; stdout: string; stderr: string };
export type Environment = Record<string, string | undefined>;

/** Runs the command line to its end, as a shell would; nothing of this process's settings reaches it but PATH. */
export async function runCommand(
  args: string[],
  { env = {}, input = '', cwd }: { env?: Environment; input?: string | Buffer; cwd?: string } = {},
): Promise<Outcome & { bytes: Buffer }> {
  const child = spawn(process.execPath, [mainFile, ...args], { env: cleanEnvironment(env), cwd });
  const chunks: Buffer[] = [];
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  // A command that fails early does not read its input.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  await once(child, 'close');
  const bytes = Buffer.concat(chunks);
  return { code: child.exitCode, stdout: bytes.toString(), stderr, bytes };
}

export type RunningServer = {
  url: string;
  pid: number;
  /** Sends the signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Outcome>;
  /** Sends the signal only. */
  signal(signal: NodeJS.Signals): void;
  ended: Promise<Outcome>;
  /** Standard output so far. */
  output(): string;
};

/** `faultline serve` on a free port, ready to answer. */
export async function startService(
  env: Environment,
  command: { file: string; args: string[]; cwd?: string } = { file: process.execPath, args: [mainFile, 'serve'] },
): Promise<RunningServer> {
  const child = spawn(command.file, command.args, {
    env: cleanEnvironment({ PORT: '0', FAULTLINE_ADMIN_TOKEN: adminToken, FAULTLINE_LOG: 'warn', ...env }),
    cwd: command.cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    output.stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    output.stderr += chunk.toString();
  });
  const ended = once(child, 'close').then(() => ({ code: child.exitCode, ...output }));
  const url = await Promise.race([waitForAddress(child, output), ended.then(() => undefined)]);
  if (url === undefined) throw new Error(`The service did not start.\n${output.stdout}${output.stderr}`);
  const signal = (name: NodeJS.Signals) => void child.kill(name);
  return {
    url,
    pid: child.pid ?? 0,
    ended,
    output: () => output.stdout,
    signal,
    stop: (name = 'SIGTERM') => {
      signal(name);
      return ended;
    },
  };
}

/** A test that failed in the middle leaves no service behind. */
const started: ChildProcess[] = [];
afterAll(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

function waitForAddress(child: ChildProcess, output: { stdout: string }): Promise<string> {
  return new Promise((resolve) => {
    child.stdout?.on('data', () => {
      const address = /Faultline is ready at (\S+)/.exec(output.stdout)?.[1];
      if (address) resolve(address);
    });
  });
}

const cleanEnvironment = (env: Environment): Environment => ({ PATH: process.env['PATH'], HOME: '/nowhere', ...env });
