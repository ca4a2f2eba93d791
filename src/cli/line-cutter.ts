import type { Portion, PortionLimits } from './portion.ts';
import { sliceLines } from './portion.ts';

const newline = 0x0a;
/** What the server cuts a line to as well; it then refuses it as broken. */
const maxLineBytes = 256 * 1024;

/** Cuts NDJSON, in chunks of any size, into portions of whole lines. No more than one portion is held. */
export function createLineCutter({ maxLines, maxBytes, skipLines = 0 }: PortionLimits & { skipLines?: number }) {
  let body: Buffer | undefined;
  let size = 0;
  let lines = 0;
  let lineBytes = 0;
  let firstLine = skipLines + 1;
  let skipped = 0;

  function append(part: Uint8Array): void {
    body ??= Buffer.allocUnsafe(maxBytes + maxLineBytes + 1);
    body.set(part, size);
    size += part.length;
  }

  function take(): Portion | undefined {
    if (!body || lines === 0) return undefined;
    const whole = body.subarray(0, size);
    const first = firstLine;
    const portion: Portion = {
      body: whole,
      lines,
      firstLine: first,
      lastLine: first + lines - 1,
      faults: [],
      origin: (line) => ({ line: first + line - 1, text: sliceLines(whole, line, line).toString().trimEnd() }),
    };
    firstLine += lines;
    body = undefined;
    size = 0;
    lines = 0;
    return portion;
  }

  return {
    push(chunk: Uint8Array): Portion[] {
      const portions: Portion[] = [];
      for (let at = 0; at < chunk.length; ) {
        const found = chunk.indexOf(newline, at);
        const end = found < 0 ? chunk.length : found;
        if (skipped < skipLines) {
          if (found >= 0) skipped++;
          at = end + 1;
          continue;
        }
        const part = chunk.subarray(at, Math.min(end, at + maxLineBytes - lineBytes));
        append(part);
        lineBytes += part.length;
        if (found >= 0) {
          append(newlineByte);
          lines++;
          lineBytes = 0;
          const full = lines >= maxLines || size >= maxBytes ? take() : undefined;
          if (full) portions.push(full);
        }
        at = end + 1;
      }
      return portions;
    },
    /** A last line needs no newline. */
    end(): Portion | undefined {
      if (lineBytes > 0) lines++;
      return take();
    },
  };
}

const newlineByte = Uint8Array.of(newline);
