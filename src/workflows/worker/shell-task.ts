import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { taskEnvironment } from '../../config.ts';
import { shellWith } from '../built-ins.ts';
import { readArguments } from './built-in-arguments.ts';
import type { TaskContext } from './task-context.ts';
import { TaskFailure } from './task-failure.ts';

const keptCharacters = 200_000;
const killAfterMs = 1000;

type Groups = { began(pid: number): void; ended(pid: number): void };

/** The built-in `shell`: result `{exit_code, stdout, stderr}`. Its processes are a group of their own, ended together. */
export async function runShell(context: TaskContext, home: string, groups: Groups): Promise<unknown> {
  const { command, argv, cwd, env, input } = readArguments('shell', shellWith, context.with);
  const [program, ...rest] = argv ?? ['/bin/sh', '-c', command ?? ''];
  const child = spawn(program, rest, {
    cwd: resolve(home, cwd ?? '.'),
    env: { ...taskEnvironment(), ...env },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const { pid } = child;
  if (pid !== undefined) groups.began(pid);
  const stdout = keepOutput(child.stdout, context.log);
  const stderr = keepOutput(child.stderr, context.log);
  // A program that does not read its input closes it: no fault.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input ?? '');

  const stop = (): void => {
    if (pid === undefined) return;
    endGroup(pid, 'SIGTERM');
    setTimeout(() => endGroup(pid, 'SIGKILL'), killAfterMs).unref();
  };
  context.signal.addEventListener('abort', stop, { once: true });
  if (context.signal.aborted) stop();
  try {
    const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((settle, reject) => {
      child.once('error', (error) => reject(new TaskFailure(`${program} cannot be started: ${error.message}`, false)));
      child.once('close', (exitCode, exitSignal) => settle([exitCode, exitSignal]));
    });
    if (context.signal.aborted) throw context.signal.reason;
    if (code !== 0) throw new TaskFailure(describeExit(code, signal, stderr.text() || stdout.text()), true);
    return { exit_code: code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    context.signal.removeEventListener('abort', stop);
    if (pid !== undefined) groups.ended(pid);
  }
}

export function endGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // All of them have ended already.
  }
}

function keepOutput(stream: NodeJS.ReadableStream, log: (...values: unknown[]) => void): { text(): string } {
  const decoder = new StringDecoder('utf8');
  let kept = '';
  let dropped = 0;
  let line = '';
  stream.on('data', (chunk: Buffer) => {
    const text = decoder.write(chunk);
    const room = Math.max(0, keptCharacters - kept.length);
    kept += text.slice(0, room);
    dropped += Math.max(0, text.length - room);
    const lines = (line + text).split('\n');
    line = lines.pop() ?? '';
    for (const one of lines) log(one);
  });
  stream.on('end', () => {
    if (line !== '') log(line);
  });
  return { text: () => (dropped === 0 ? kept : `${kept}\n(${dropped} more characters were not kept)`) };
}

function describeExit(code: number | null, signal: NodeJS.Signals | null, output: string): string {
  const end = output.trimEnd().split('\n').at(-1) ?? '';
  return `${code === null ? `ended by ${signal}` : `exit code ${code}`}${end === '' ? '' : `: ${end.slice(0, 500)}`}`;
}
