import { isUtf8 } from 'node:buffer';

/**
 * Calls `each` with every non-blank line parsed as JSON, `reject` with those that are none, and answers how many lines
 * there are. Blank lines count: line numbers are those an editor shows.
 */
export function eachLine(
  ndjson: Uint8Array,
  firstLine: number,
  each: (value: unknown, line: number) => void,
  reject: (line: number, message: string) => void,
): number {
  const bytes = Buffer.from(ndjson.buffer, ndjson.byteOffset, ndjson.byteLength);
  const isAllUtf8 = isUtf8(bytes);
  // Latin-1 keeps one character per byte, so that a line which is not UTF-8 can be found and left out.
  const text = bytes.toString(isAllUtf8 ? 'utf8' : 'latin1');
  let line = firstLine;
  let start = firstLine === 1 && text.startsWith(isAllUtf8 ? '\ufeff' : '\u00ef\u00bb\u00bf') ? (isAllUtf8 ? 1 : 3) : 0;
  for (; start < text.length; line++) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    readLine(text.slice(start, end), line, isAllUtf8, each, reject);
    start = end + 1;
  }
  return line - firstLine;
}

function readLine(
  raw: string,
  line: number,
  isDecoded: boolean,
  each: (value: unknown, line: number) => void,
  reject: (line: number, message: string) => void,
): void {
  let text = raw;
  if (!isDecoded) {
    const bytes = Buffer.from(raw, 'latin1');
    if (!isUtf8(bytes)) return reject(line, 'the line is not valid UTF-8');
    text = bytes.toString('utf8');
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    if (text.trim() === '') return;
    return reject(line, 'the line is not valid JSON');
  }
  each(value, line);
}
