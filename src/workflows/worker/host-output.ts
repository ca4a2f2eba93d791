import type { Done, FromHost, RunLines, RunProgress } from './host-messages.ts';

export type HostOutput = ReturnType<typeof createHostOutput>;

const logDelayMs = 50;

/** Collects what tasks produce and sends it in batches: results at the end of the turn, log lines and progress a little later. */
export function createHostOutput(send: (message: FromHost) => void, isImmediate: boolean) {
  let done: Done[] = [];
  let logs: RunLines[] = [];
  let progress = new Map<number, number>();
  let turn: NodeJS.Immediate | undefined;
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearImmediate(turn);
    clearTimeout(timer);
    turn = undefined;
    timer = undefined;
    if (done.length === 0 && logs.length === 0 && progress.size === 0) return;
    const fractions: RunProgress[] = [...progress].map(([run, fraction]) => ({ run, fraction }));
    const message: FromHost = { type: 'batch', done, logs, progress: fractions };
    done = [];
    logs = [];
    progress = new Map();
    send(message);
  }

  function soon(): void {
    if (isImmediate) flush();
    else timer ??= setTimeout(flush, logDelayMs);
  }

  return {
    flush,
    done(one: Done): void {
      done.push(one);
      turn ??= setImmediate(flush);
    },
    lines(run: number, lines: string[]): void {
      const last = logs.at(-1);
      if (last?.run === run) last.lines.push(...lines);
      else logs.push({ run, lines });
      soon();
    },
    progress(run: number, fraction: number): void {
      progress.set(run, fraction);
      soon();
    },
  };
}
