import { type ChildProcess, spawn } from 'node:child_process';

export type Child = {
  pid: number;
  /** What the pattern found in the output. */
  ready: RegExpExecArray;
  /** Standard output and standard error so far, together. */
  output(): string;
  exited: Promise<Exit>;
  /** `SIGKILL` and wait: nothing in the process gets to say goodbye. */
  kill(): Promise<void>;
  /** `SIGTERM` and wait. */
  stop(): Promise<Exit>;
  process: ChildProcess;
};

export type Exit = { code: number | null; signal: NodeJS.Signals | null };

const patienceMs = 60_000;

/** Starts a Node script in a process of its own, and waits until its output shows `ready`. */
export async function startChild(options: {
  script: string;
  args?: string[];
  nodeArgs?: string[];
  env?: Record<string, string>;
  ready: RegExp;
}): Promise<Child> {
  const { script, args = [], nodeArgs = [], env, ready } = options;
  const child = spawn(process.execPath, [...nodeArgs, script, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, ...env },
  });
  let output = '';
  const exited = new Promise<Exit>((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  // A test that fails or is interrupted leaves no process behind.
  const killAtExit = () => child.kill('SIGKILL');
  process.once('exit', killAtExit);
  void exited.then(() => process.off('exit', killAtExit));

  const found = await new Promise<RegExpExecArray>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`${script} was not ready in ${patienceMs / 1000} s:\n${output}`));
    }, patienceMs);
    const look = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-100_000);
      const match = ready.exec(output);
      if (!match) return;
      clearTimeout(timer);
      resolve(match);
    };
    child.stdout?.on('data', look);
    child.stderr?.on('data', look);
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      reject(new Error(`${script} ended (${signal ?? code}) before it was ready:\n${output}`));
    });
  });

  return {
    pid: child.pid ?? 0,
    ready: found,
    output: () => output,
    exited,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
    stop() {
      child.kill('SIGTERM');
      return exited;
    },
    process: child,
  };
}
