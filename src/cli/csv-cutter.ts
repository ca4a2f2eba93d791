import { type CsvRecord, createCsvReader } from './csv.ts';
import { type Header, type Renaming, readHeader, toMessageLine } from './csv-messages.ts';
import type { LineFault, Portion, PortionLimits } from './portion.ts';

export type CsvOptions = { delimiter: string; renamings: Renaming[] };

/** Cuts CSV, in pieces of any size, into portions of messages. Throws what `refuse` makes of a header that cannot be used. */
export function createCsvCutter(
  { maxLines, maxBytes, skipLines = 0, delimiter, renamings }: PortionLimits & CsvOptions & { skipLines?: number },
  { refuse, warn }: { refuse: (reason: string) => Error; warn: (unknown: string[]) => void },
) {
  const reader = createCsvReader({ delimiter });
  let header: Header | undefined;
  let messages: string[] = [];
  let places: Array<{ line: number; text: string }> = [];
  let faults: LineFault[] = [];
  let characters = 0;
  let firstLine: number | undefined;
  let lastLine = 0;

  function begin({ cells, fault }: { cells?: string[]; fault?: string }): Header {
    const found = cells ? readHeader(cells, renamings) : (fault ?? '');
    if (typeof found === 'string') throw refuse(found);
    if (found.unknown.length > 0) warn(found.unknown);
    return found;
  }

  function take(): Portion | undefined {
    if (firstLine === undefined) return undefined;
    const kept = places;
    const portion: Portion = {
      body: Buffer.from(messages.join('')),
      lines: messages.length,
      firstLine,
      lastLine,
      faults,
      origin: (line) => kept[line - 1] ?? { line: 0, text: '' },
    };
    messages = [];
    places = [];
    faults = [];
    characters = 0;
    firstLine = undefined;
    return portion;
  }

  function add(record: CsvRecord): Portion | undefined {
    if (!header) {
      header = begin(record);
      return undefined;
    }
    if (record.line <= skipLines) return undefined;
    firstLine ??= record.line;
    lastLine = record.lastLine;
    const made = record.fault === undefined ? toMessageLine(record.cells, header) : { fault: record.fault };
    if ('fault' in made) faults.push({ line: record.line, message: made.fault, text: record.raw });
    else {
      messages.push(made.line);
      places.push({ line: record.line, text: record.raw });
      characters += made.line.length;
    }
    const isFull = messages.length + faults.length >= maxLines || characters >= maxBytes;
    return isFull ? take() : undefined;
  }

  return {
    push: (text: string): Portion[] => reader.push(text).flatMap((record) => add(record) ?? []),
    end(): Portion[] {
      const last = reader.end().flatMap((record) => add(record) ?? []);
      return [...last, ...[take()].filter((portion) => portion !== undefined)];
    },
  };
}
