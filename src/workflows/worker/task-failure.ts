import type { TaskError } from './host-messages.ts';

/** A failure of a built-in task: said in one sentence, without a stack. */
export class TaskFailure extends Error {
  override name = 'TaskFailure';
  readonly retryable: boolean;

  constructor(message: string, retryable: boolean) {
    super(message);
    this.retryable = retryable;
  }
}

const longestMessage = 10_000;
const longestStack = 20_000;
/** Frames of the host itself tell the author of a task nothing. */
const ownFolder = new URL('.', import.meta.url).href;

/** What is reported of something thrown; paths are relative to the home. */
export function describeError(thrown: unknown, home: string): { error: TaskError; retryable: boolean } {
  if (!(thrown instanceof Error)) {
    return {
      error: { message: cut(`the task threw ${textOf(thrown)}`, longestMessage) },
      retryable: isRetryable(thrown),
    };
  }
  const message = thrown.message || thrown.name;
  const error: TaskError = { message: cut(message, longestMessage) };
  if (!(thrown instanceof TaskFailure) && typeof thrown.stack === 'string') {
    error.stack = cut(relativeStack(thrown.stack, home), longestStack);
  }
  return { error, retryable: isRetryable(thrown) };
}

export function relativeStack(stack: string, home: string): string {
  return stack
    .split('\n')
    .filter((line) => !line.includes(ownFolder) && !/^\s+at .*\(?node:/.test(line))
    .join('\n')
    .replaceAll(`file://${home}/`, '')
    .replaceAll(`${home}/`, '');
}

const isRetryable = (thrown: unknown): boolean =>
  !(typeof thrown === 'object' && thrown !== null && 'retryable' in thrown && thrown.retryable === false);

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}

const cut = (text: string, longest: number): string =>
  text.length <= longest ? text : `${text.slice(0, longest)}… (${text.length - longest} more characters)`;
