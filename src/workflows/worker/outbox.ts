import type { TaskError } from './host-messages.ts';

/** One thing to report, already written as JSON. */
export type Entry = {
  kind: 'completed' | 'failed' | 'released' | 'logs';
  id: string;
  attempt: number;
  json: string;
  bytes: number;
};

type TaskRef = { id: string; attempt: number };
type Logs = TaskRef & { lines: string[]; bytes: number };

export type Outbox = ReturnType<typeof createOutbox>;

const mostEntries = 1000;
const mostLines = 5000;

/** What has to be reported and has not been sent yet, cut into bodies that the service takes. */
export function createOutbox(limitBytes: number) {
  const results: Entry[] = [];
  const logs: Logs[] = [];
  /** Those of a batch that was refused whole: each goes by itself, to find out which was meant. */
  const singles: Entry[] = [];

  function addLogs({ id, attempt }: TaskRef, lines: string[]): void {
    let last = logs.at(-1);
    for (const line of lines) {
      const bytes = Buffer.byteLength(JSON.stringify(line)) + 1;
      const isFull = last && (last.lines.length >= mostLines || last.bytes + bytes > limitBytes / 4);
      if (!last || isFull || last.id !== id || last.attempt !== attempt) {
        last = { id, attempt, lines: [], bytes: 0 };
        logs.push(last);
      }
      last.lines.push(line);
      last.bytes += bytes;
    }
  }

  /** The next body's entries: log lines before results, so that nothing is said about a task after its end. */
  function take(): Entry[] {
    const single = singles.shift();
    if (single) return [single];
    const taken: Entry[] = [];
    let bytes = 0;
    while (logs.length > 0 && taken.length < mostEntries) {
      const [{ id, attempt, lines, bytes: size }] = logs;
      if (taken.length > 0 && bytes + size + 100 > limitBytes) return taken;
      logs.shift();
      taken.push(entry('logs', { id, attempt }, `"lines":${JSON.stringify(lines)}`));
      bytes += size + 100;
    }
    let count = 0;
    while (
      count < results.length &&
      count < mostEntries &&
      (taken.length === 0 || bytes + results[count].bytes <= limitBytes)
    ) {
      bytes += results[count].bytes;
      taken.push(results[count++]);
    }
    results.splice(0, count);
    return taken;
  }

  return {
    addLogs,
    take,
    complete(ref: TaskRef, result: string): void {
      const one = entry('completed', ref, `"result":${result}`);
      if (one.bytes <= limitBytes) results.push(one);
      else results.push(failure(ref, tooLarge(one.bytes, limitBytes), false));
    },
    fail(ref: TaskRef, error: TaskError, retryable: boolean): void {
      results.push(failure(ref, error, retryable));
    },
    release: (ref: TaskRef): void => void results.push(entry('released', ref)),
    sendSingly: (entries: Entry[]): void => void singles.push(...entries),
    hasResults: (): boolean => results.length > 0 || singles.length > 0,
    hasLogs: (): boolean => logs.length > 0,
  };
}

export const failure = (ref: TaskRef, error: TaskError, retryable: boolean): Entry =>
  entry('failed', ref, `"error":${JSON.stringify(error)},"retryable":${retryable}`);

export function reportBody(
  head: string,
  entries: Entry[],
  running: Array<TaskRef & { progress?: number }>,
  max: number,
): string {
  const lists = { completed: [] as string[], failed: [] as string[], released: [] as string[], logs: [] as string[] };
  for (const { kind, json } of entries) lists[kind].push(json);
  const parts = Object.entries(lists).filter(([, list]) => list.length > 0);
  const text = parts.map(([kind, list]) => `"${kind}":[${list.join(',')}],`).join('');
  return `{${head},${text}${running.length > 0 ? `"running":${JSON.stringify(running)},` : ''}"max":${max}}`;
}

function entry(kind: Entry['kind'], { id, attempt }: TaskRef, rest?: string): Entry {
  const json = `{"id":"${id}","attempt":${attempt}${rest === undefined ? '' : `,${rest}`}}`;
  return { kind, id, attempt, json, bytes: Buffer.byteLength(json) + 1 };
}

const tooLarge = (bytes: number, limitBytes: number): TaskError => ({
  message: `the result is ${bytes} bytes of JSON, more than the ${limitBytes} that a report may hold; store it elsewhere and return where`,
});
