import fc from 'fast-check';
import { expect, test } from 'vitest';
import { displayWidth, formatTable } from './table.ts';

const columns = [
  { title: 'NAME', value: ([name]: string[]) => name ?? '' },
  { title: 'ROLE', value: ([, role]: string[]) => role ?? '' },
];

test('columns are aligned where characters are two wide, and lines do not end in spaces', () => {
  expect(
    formatTable(columns, [
      ['日本', 'member'],
      ['e\u0301ve', 'x'],
      ['👩‍💻', ''],
    ]),
  ).toBe(['NAME  ROLE', '日本  member', 'e\u0301ve   x', '👩‍💻'].join('\n'));
});

test('control characters in a name do not reach the terminal', () => {
  expect(formatTable(columns, [['a\u001b[31mb\n', 'x']])).toBe('NAME      ROLE\na\ufffd[31mb\ufffd  x');
});

test('whatever the names are, the second column begins at the same place on every line', () => {
  const cell = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => text.trim() === text);
  fc.assert(
    fc.property(fc.array(cell, { minLength: 1 }), (names) => {
      const lines = formatTable(columns, names.map((name) => [name, '|'])).split('\n').slice(1); // biome-ignore format: one line
      const starts = lines.map((line) => displayWidth(line.slice(0, line.lastIndexOf('|'))));
      expect(new Set(starts).size).toBe(1);
    }),
  );
});
