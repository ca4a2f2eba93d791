import { stripVTControlCharacters } from 'node:util';
import { displayWidth } from './table.ts';

const hideCursor = '\x1b[?25l';
const showCursor = '\x1b[?25h';
/** Terminals that know it show a frame whole; the others ignore it. */
const beginFrame = '\x1b[?2026h';
const endFrame = '\x1b[?2026l';

/**
 * What is written to turn the last frame into the next, in one piece: up to its first line, each line over the old one, the rest
 * of the line and of the screen cleared after it. Never cleared before, which is what flickers.
 */
export function redraw(former: string[], next: string[], columns: number): string {
  // A terminal made narrower has broken the former lines.
  const height = former.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / columns)), 0);
  const up = height > 0 ? `\r${height > 1 ? `\x1b[${height - 1}A` : ''}` : '';
  return `${beginFrame}${up}${next.map((line) => `${line}\x1b[K`).join('\n')}\x1b[J${endFrame}`;
}

export type LiveScreen = {
  /** Draws these lines in place of the ones before. */
  draw(lines: string[]): void;
  /** These are the last; the cursor stands below them. */
  finish(lines: string[]): void;
  /** Leaves the terminal as it was found, with what was drawn last. */
  stop(): void;
};

export function createLiveScreen(out: { columns: number; write(text: string): unknown }): LiveScreen {
  let drawn: string[] = [];
  let forget: Array<() => void> = [];
  const open = () => {
    if (forget.length > 0) return;
    out.write(hideCursor);
    // Whatever ends the command, Ctrl-C included: nobody is left without a cursor.
    process.once('exit', stop);
    forget = [() => process.off('exit', stop), ...signals.map(([signal, code]) => onSignal(signal, code))];
  };
  const stop = () => {
    if (forget.length === 0) return;
    for (const each of forget) each();
    forget = [];
    out.write(`${drawn.length > 0 ? '\n' : ''}${showCursor}`);
  };
  const onSignal = (signal: NodeJS.Signals, code: number) => {
    const leave = () => {
      stop();
      process.exit(code);
    };
    process.once(signal, leave);
    return () => process.off(signal, leave);
  };
  const draw = (lines: string[]) => {
    open();
    if (lines.length === drawn.length && lines.every((line, index) => line === drawn[index])) return;
    out.write(redraw(drawn, lines, out.columns));
    drawn = lines;
  };
  return {
    draw,
    finish(lines) {
      draw(lines);
      stop();
    },
    stop,
  };
}

const signals = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const;

const widthOf = (line: string): number => displayWidth(stripVTControlCharacters(line));
