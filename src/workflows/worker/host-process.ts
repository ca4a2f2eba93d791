import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { taskEnvironment } from '../../config.ts';
import type { FromHost, HostSetup, ToHost } from './host-messages.ts';
import { endGroup } from './shell-task.ts';

export type HostProcess = {
  pid: number | undefined;
  send(message: ToHost): void;
  kill(): void;
};

/** `reason` completes the sentence "the task …". */
export type HostDeath = { reason: string };

const tailLength = 4096;
const closeWithinMs = 300;
const program = new URL(`./task-host.process${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

export function startHostProcess(options: {
  setup: HostSetup;
  memoryMb: number;
  onMessage(message: FromHost): void;
  onOutput(text: string): void;
  onExit(death: HostDeath): void;
}): HostProcess {
  const child = fork(program, [], {
    // Without a home there are still the built-in tasks.
    cwd: existsSync(options.setup.home) ? options.setup.home : undefined,
    env: taskEnvironment(),
    execArgv: [`--max-old-space-size=${options.memoryMb}`],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const groups = new Set<number>();
  let tail = '';
  let dying: string | undefined;
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      const text = chunk.toString();
      tail = (tail + text).slice(-tailLength);
      options.onOutput(text);
    });
  }
  // The channel carries only what task-host.process.ts sends.
  child.on('message', (raw) => {
    const message = raw as FromHost;
    if (message.type === 'dying') dying = message.reason;
    else if (message.type === 'group') groups[message.isAlive ? 'add' : 'delete'](message.pid);
    else options.onMessage(message);
  });
  let isOver = false;
  const end = (reason: string): void => {
    if (isOver) return;
    isOver = true;
    for (const pid of groups) endGroup(pid, 'SIGKILL');
    options.onExit({ reason });
  };
  child.once('error', (error) => end(`had no process: ${error.message}`));
  // "close" comes after the last message and the last output were read, but never while a stray child of a task holds the output.
  const onEnd = (code: number | null, signal: NodeJS.Signals | null): void =>
    end(dying ?? describeExit(code, signal, tail));
  child.once('close', onEnd);
  child.once('exit', (code, signal) => setTimeout(onEnd, closeWithinMs, code, signal));
  sendTo(child, { type: 'setup', setup: options.setup });
  return { pid: child.pid, send: (message) => sendTo(child, message), kill: () => void child.kill('SIGKILL') };
}

function sendTo(child: ChildProcess, message: ToHost): void {
  // A host that is gone has its tasks sorted out when its end is noticed.
  if (child.connected) child.send(message, () => undefined);
}

export function describeExit(code: number | null, signal: NodeJS.Signals | null, tail: string): string {
  if (/heap out of memory|allocation failed/i.test(tail)) return 'ran out of memory';
  if (signal === 'SIGKILL') return 'had its process killed (SIGKILL), perhaps because the machine ran out of memory';
  if (signal !== null) return `crashed its process (${signal})`;
  return `ended its process: exit code ${code}`;
}
