import { AsyncLocalStorage } from 'node:async_hooks';
import type { HostOutput } from './host-output.ts';
import { addLines, type TaskRun } from './task-context.ts';
import { describeError } from './task-failure.ts';

export const currentRun = new AsyncLocalStorage<TaskRun>();

type Strays = {
  home: string;
  output: HostOutput;
  settle(taskRun: TaskRun, outcome: { error: { message: string; stack?: string }; retryable: boolean }): void;
  /** For what no task can be blamed for. */
  die(reason: string): void;
};

/** Finds the task behind what happens outside of its promise: output, errors that nobody caught, an attempt to exit. */
export function catchStrays({ home, output, settle, die }: Strays): void {
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream);
    const intercepted = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
      const taskRun = currentRun.getStore();
      // The overloads of write differ only in what follows the chunk.
      if (!taskRun) return (write as (...values: unknown[]) => boolean)(chunk, ...rest);
      addLines(taskRun, output, typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString());
      const done = rest.find((one) => typeof one === 'function');
      if (done) process.nextTick(done);
      return true;
    };
    stream.write = intercepted;
  }

  const blame = (what: string, thrown: unknown): void => {
    const { error, retryable } = describeError(thrown, home);
    const taskRun = currentRun.getStore();
    if (!taskRun) return die(`ended its process: ${what}: ${error.message}`);
    // Later than the task's end it changes nothing any more.
    settle(taskRun, { error: { ...error, message: `${what}: ${error.message}` }, retryable });
    // What is left of the task may still wait for something.
    taskRun.controller.abort(thrown);
  };
  process.on('unhandledRejection', (reason) => blame('a promise was rejected and nobody handled it', reason));
  process.on('uncaughtException', (error) => {
    if (!(error instanceof ExitAttempt)) blame('an error was thrown and nobody caught it', error);
  });

  const exit = process.exit.bind(process);
  process.exit = (code) => {
    const taskRun = currentRun.getStore();
    if (!taskRun) return exit(code);
    const attempt = new ExitAttempt(`the task called process.exit(${code ?? process.exitCode ?? 0})`);
    settle(taskRun, describeError(attempt, home));
    taskRun.controller.abort(attempt);
    // process.exit never returns: this ends the task's code as it would have ended the process.
    throw attempt;
  };
}

class ExitAttempt extends Error {
  override name = 'ExitAttempt';
}
