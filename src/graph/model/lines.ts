import { isUtf8 } from 'node:buffer';
import type { MessageScanner } from './message-scanner.ts';

export type LineReceiver = {
  /** The scanner holds the message of this line. False: it is to be parsed after all. */
  scanned(line: number): boolean;
  /** The line was JSON, of whatever kind. */
  parsed(value: unknown, line: number): void;
  reject(line: number, message: string): void;
};

const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** Gives every non-blank line to one of the receivers, and answers how many lines there are. Blank lines count: line numbers are those an
 * editor shows. */
export function eachLine(ndjson: Uint8Array, firstLine: number, scanner: MessageScanner, to: LineReceiver): number {
  const bytes = Buffer.from(ndjson.buffer, ndjson.byteOffset, ndjson.byteLength);
  // One check for all; only where it fails the lines are looked at one by one.
  const isAllUtf8 = isUtf8(bytes);
  const lastNewline = isAllUtf8 ? bytes.lastIndexOf(NEWLINE) : -1;
  let line = firstLine;
  let start = firstLine === 1 && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
  scanner.open(bytes);
  for (; start < bytes.length; line++) {
    let end = start <= lastNewline ? scanner.scan(start) : -1;
    if (end < 0 || !to.scanned(line)) {
      const found = bytes.indexOf(NEWLINE, start);
      end = found < 0 ? bytes.length : found;
      readLine(bytes.subarray(start, end), line, isAllUtf8, to);
    }
    start = end + 1;
  }
  return line - firstLine;
}

function readLine(bytes: Buffer, line: number, isKnownUtf8: boolean, to: LineReceiver): void {
  if (bytes.length === 0) return;
  if (!isKnownUtf8 && !isUtf8(bytes)) return to.reject(line, 'the line is not valid UTF-8');
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    if (text.trim() === '') return;
    return to.reject(line, 'the line is not valid JSON');
  }
  to.parsed(value, line);
}
