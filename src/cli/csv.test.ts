import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCsvReader } from './csv.ts';
import { readHeader, toMessageLine } from './csv-messages.ts';

type Reader = ReturnType<typeof createCsvReader>;
const readAll = (pieces: string[], reader: Reader = createCsvReader()) => [
  ...pieces.flatMap((piece) => reader.push(piece)),
  ...reader.end(),
];
const cellsOf = (text: string, options = {}) =>
  readAll([text], createCsvReader(options)).map((record) => ('cells' in record ? record.cells : record.fault));

/** Cut at the given places, whatever they are. */
const cut = (text: string, places: number[]): string[] => {
  const at = [0, ...places.map((place) => place % (text.length + 1)).toSorted((a, b) => a - b), text.length];
  return at.slice(1).map((end, index) => text.slice(at[index], end));
};

test.each([
  ['plain', 'a,b\nc,d\n', [['a', 'b'], ['c', 'd']]],
  ['CRLF, no newline at the end', 'a,b\r\nc,d', [['a', 'b'], ['c', 'd']]],
  ['a byte order mark', '\ufeffa,b\n', [['a', 'b']]],
  ['quotes, doubled quotes, a delimiter and a newline inside', '"a ""x"", y\nz",b\r\nc,""\n', [['a "x", y\nz', 'b'], ['c', '']]],
  ['blank lines', '\na\n\r\n\nb\n', [['a'], ['b']]],
  ['a quote inside an unquoted cell', 'a"b,c\n', [['a"b', 'c']]],
  ['text after a closing quote costs that line only', '"a"b,c\nd,e\n', ['a closing quote is followed by more text', ['d', 'e']]],
  ['a quote that is never closed costs that line only', 'a\n"b\nc\n', [['a'], 'a quote is opened and never closed', ['c']]],
])('%s', (_what, text, expected) => expect(cellsOf(text)).toEqual(expected)); // biome-ignore format: a table

test('another delimiter', () => {
  expect(cellsOf('a;"b;c";d,e\n', { delimiter: ';' })).toEqual([['a', 'b;c', 'd,e']]);
});

test('a line that is too long is told once, and the next one is read', () => {
  const [tooLong, next] = readAll(['x'.repeat(30), 'y'.repeat(30), '\nb\n'], createCsvReader({ maxRecord: 40 }));
  expect(tooLong).toMatchObject({ line: 1, fault: 'the line has more than 40 characters' });
  expect(next).toEqual({ line: 2, lastLine: 2, raw: 'b', cells: ['b'] });
});

const cell = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', 'é', '👩') }));
const places = fc.array(fc.nat(), { maxLength: 10 });

test('what is written as CSV is read back, wherever it is cut', () => {
  const rows = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 8 });
  fc.assert(
    fc.property(rows, places, fc.constantFrom('\n', '\r\n'), (rows, places, newline) => {
      const write = (value: string) => `"${value.replaceAll('"', '""')}"`;
      const text = rows.map((row) => row.map(write).join(',') + newline).join('');
      const records = readAll(cut(text, places));
      expect(records.map((record) => ('cells' in record ? record.cells : record.fault))).toEqual(rows);
    }),
  );
});

test('any text gives the same records wherever it is cut, and never the same line twice', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r'), maxLength: 60 });
  fc.assert(
    fc.property(text, places, fc.integer({ min: 3, max: 30 }), (text, places, maxRecord) => {
      const whole = readAll([text], createCsvReader({ maxRecord }));
      expect(readAll(cut(text, places), createCsvReader({ maxRecord }))).toEqual(whole);
      const lines = whole.map(({ line }) => line);
      expect(lines).toEqual([...new Set(lines)].toSorted((a, b) => a - b));
    }),
    { numRuns: 1000 },
  );
});

test('a header names fields in any order and case; others are reported, renamed ones are known', () => {
  const header = readHeader(['Owner', ' SOURCE_NAME', 'kind'], [{ column: 'kind', field: 'source_label' }]);
  expect(header).toEqual({ fields: [undefined, 'source_name', 'source_label'], unknown: ['Owner'] });
});

test.each([
  [['source_label', 'x'], [], /none of its columns is source_name.*--map/],
  [['source_label', 'source_name', 'source_name'], [], /two of its columns are source_name/],
  [['source_label', 'source_name'], [{ column: 'y', field: 'rel_to' as const }], /no column "y"/],
])('a header %j cannot be used', (cells, renamings, reason) => expect(readHeader(cells, renamings)).toMatch(reason));

test('an empty cell is absent, a time is a number, and what is no time is left to the server', () => {
  const header = { fields: ['source_name', 'rel_from', 'rel_to', undefined] as const, unknown: [] };
  const line = (cells: string[]) => toMessageLine(cells, { ...header, fields: [...header.fields] });
  expect(line(['a', '', '17', 'ann'])).toEqual({ line: '{"source_name":"a","rel_to":17}\n' });
  expect(line(['1', 'soon'])).toEqual({ line: '{"source_name":"1","rel_from":"soon"}\n' });
  expect(line(['a', '', '', '', ''])).toEqual({ line: '{"source_name":"a"}\n' });
  expect(line(['a', '', '', '', 'x'])).toEqual({ fault: 'it has 5 cells, the header has 4' });
  expect(line(['\ufffd'])).toHaveProperty('fault');
});
