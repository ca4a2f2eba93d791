/** One record of a CSV file, which may span lines: `raw` is its text, `line` and `lastLine` count from 1. */
export type CsvRecord = { line: number; lastLine: number; raw: string } & (
  | { cells: string[]; fault?: undefined }
  | { fault: string }
);

/** No message comes near it; also the most that a quote which is never closed can swallow. */
const longestRecord = 256 * 1024;

/**
 * Reads CSV (RFC 4180) piece by piece, wherever the pieces were cut: quotes, doubled quotes, delimiters and newlines inside quotes,
 * LF or CRLF, a byte order mark. Blank lines are no records. A broken record costs its first line only; reading goes on
 * with the next one.
 */
export function createCsvReader({ delimiter = ',', maxRecord = longestRecord } = {}) {
  let rest = '';
  let line = 1;
  let isAtStart = true;
  /** In the rest of a line that was too long. */
  let isSkipping = false;

  function read(text: string, isEnd: boolean): CsvRecord[] {
    const records: CsvRecord[] = [];
    let at = 0;
    const fail = (end: number, fault: string) => {
      const raw = text.slice(at, Math.min(end, at + maxRecord)).replace(/\r$/, '');
      records.push({ line, lastLine: line, raw, fault });
    };
    while (at < text.length) {
      const newline = text.indexOf('\n', at);
      const end = newline < 0 ? text.length : newline;
      if (isSkipping) {
        at = newline < 0 ? text.length : newline + 1;
        if (newline < 0) break;
        isSkipping = false;
        line++;
        continue;
      }
      if (end - at > maxRecord) {
        fail(end, `the line has more than ${maxRecord} characters`);
        isSkipping = newline < 0;
      } else if (newline < 0 && !isEnd) break;
      else {
        const raw = text.slice(at, text[end - 1] === '\r' && end > at ? end - 1 : end);
        if (!raw.includes('"')) {
          if (raw !== '') records.push({ line, lastLine: line, raw, cells: raw.split(delimiter) });
        } else {
          // What lies beyond is not looked at, or the outcome would depend on how much has come yet.
          const view = text.slice(at, at + maxRecord + 2);
          const isAll = at + view.length === text.length;
          const found = readQuoted(view, delimiter, isEnd && isAll);
          if (found === 'open' && !isEnd && view.length < maxRecord + 2) break;
          if (found === 'open' || ('cells' in found && found.end > maxRecord))
            fail(end, 'a quote is opened and never closed');
          else if ('fault' in found) fail(end, found.fault);
          else {
            const record = view.slice(0, found.end);
            const lastLine = line + countNewlines(record);
            records.push({ line, lastLine, raw: record, cells: found.cells });
            line = lastLine + 1;
            at += found.next;
            continue;
          }
        }
      }
      at = end + 1;
      if (!isSkipping) line++;
    }
    rest = text.slice(at);
    return records;
  }

  return {
    push(text: string): CsvRecord[] {
      if (text === '') return [];
      const whole = rest + (isAtStart && text.startsWith('\ufeff') ? text.slice(1) : text);
      isAtStart = false;
      return read(whole, false);
    },
    /** What is left when no more comes: a last line needs no newline. */
    end: (): CsvRecord[] => read(rest, true),
  };
}

/** `end` is where the record's text ends, `next` where the following one begins. */
type Quoted = { cells: string[]; end: number; next: number } | { fault: string } | 'open';

function readQuoted(text: string, delimiter: string, isEnd: boolean): Quoted {
  const cells: string[] = [];
  let at = 0;
  for (;;) {
    const isQuoted = text[at] === '"';
    let cell = '';
    if (isQuoted) {
      let from = at + 1;
      let quote = text.indexOf('"', from);
      while (quote >= 0 && text[quote + 1] === '"') {
        cell += text.slice(from, quote + 1);
        from = quote + 2;
        quote = text.indexOf('"', from);
      }
      if (quote < 0) return 'open';
      cell += text.slice(from, quote);
      at = quote + 1;
    } else {
      const from = at;
      while (at < text.length && text[at] !== delimiter && text[at] !== '\n') at++;
      cell = text.slice(from, at);
    }
    if (text[at] === delimiter) {
      cells.push(cell);
      at++;
      continue;
    }
    // What ends here may go on in the next piece.
    if (!isEnd && (at === text.length || (text[at] === '\r' && at + 1 === text.length))) return 'open';
    const end = endOfRecord(text, at, isQuoted);
    if (end === undefined) return { fault: 'a closing quote is followed by more text' };
    cells.push(isQuoted ? cell : cell.replace(/\r$/, ''));
    return { cells, ...end };
  }
}

function endOfRecord(text: string, at: number, isQuoted: boolean): { end: number; next: number } | undefined {
  if (!isQuoted) return { end: text[at - 1] === '\r' ? at - 1 : at, next: at + 1 };
  if (at === text.length || text[at] === '\n') return { end: at, next: at + 1 };
  const isCrLf = text[at] === '\r' && (at + 1 === text.length || text[at + 1] === '\n');
  return isCrLf ? { end: at, next: at + 2 } : undefined;
}

function countNewlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
