import { describeBytes } from './progress.ts';

export type ImportState = { doneBytes: number; totalBytes: number | undefined; lines: number; seconds: number };

/** One line that fits into `width` columns: what does not is left out, the bar first. */
export function describeProgress({ doneBytes, totalBytes, lines, seconds }: ImportState, width: number): string {
  const share = totalBytes ? Math.min(1, doneBytes / totalBytes) : undefined;
  const parts = [
    share === undefined ? describeBytes(doneBytes) : `${Math.floor(share * 100)} %`,
    `${formatCount(lines)} lines`,
    `${formatCount(rate(lines, seconds))} lines/s`,
    ...(share ? [`${formatSpan((seconds / share) * (1 - share))} left`] : []),
    ...(totalBytes ? [`${describeBytes(doneBytes)} of ${describeBytes(totalBytes)}`] : []),
  ];
  let line = '';
  for (const part of parts) {
    const longer = line === '' ? part : `${line}  ${part}`;
    if (longer.length > width) break;
    line = longer;
  }
  const barWidth = Math.min(30, width - line.length - 4);
  if (share === undefined || barWidth < 8) return line;
  const filled = Math.round(barWidth * share);
  return `[${'#'.repeat(filled)}${'-'.repeat(barWidth - filled)}] ${line}`;
}

export const formatCount = (count: number): string => Math.round(count).toLocaleString('en-US');
export const rate = (lines: number, seconds: number): number => (seconds > 0 ? lines / seconds : 0);

/** 75 seconds as 1:15, an hour and a bit as 1:00:30. */
export function formatSpan(seconds: number): string {
  const whole = Math.ceil(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(whole % 60)}` : `${minutes}:${pad(whole % 60)}`;
}

const pad = (value: number): string => String(value).padStart(2, '0');

export type ProgressLine = {
  /** A sentence for the person, beside the progress. */
  say(sentence: string): void;
  stop(): void;
};

const redrawMs = 250;
const plainMs = 5000;

/** On a terminal a line that is drawn anew; elsewhere a plain line now and then if it was asked for; silent otherwise. */
export function showProgress(state: () => ImportState, { isWanted }: { isWanted: boolean }): ProgressLine {
  const { stderr } = process;
  const draw = () =>
    stderr.write(
      stderr.isTTY ? `\r\x1b[K${describeProgress(state(), stderr.columns - 1)}` : `${describeProgress(state(), 200)}\n`,
    );
  const clear = () => void (stderr.isTTY && stderr.write('\r\x1b[K'));
  const timer = stderr.isTTY || isWanted ? setInterval(draw, stderr.isTTY ? redrawMs : plainMs) : undefined;
  return {
    say(sentence) {
      clear();
      stderr.write(`${sentence}\n`);
    },
    stop() {
      clearInterval(timer);
      clear();
    },
  };
}
