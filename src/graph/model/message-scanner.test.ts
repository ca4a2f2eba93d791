import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { labelFault, type Message, parseMessage } from '../message.ts';
import { eachLine } from './lines.ts';
import { ABSENT, MessageScanner, type ScannedPart } from './message-scanner.ts';

const scanner = new MessageScanner();

type Reading = { line: number; message: Message } | { line: number; fault: string };

/** Every line as the writer sees it, and which of them the scanner read. */
function read(bytes: Uint8Array): { readings: Reading[]; scanned: number[] } {
  const readings: Reading[] = [];
  const scanned: number[] = [];
  eachLine(bytes, 1, scanner, {
    scanned(line) {
      const message = asMessage();
      const faults = [message.source, message.target].map((node) => node && labelFault(node.label, ''));
      if (faults.some((fault) => fault !== undefined)) return false;
      readings.push({ line, message });
      scanned.push(line);
      return true;
    },
    parsed: (value, line) => readings.push(reading(value, line)),
    reject: (line, fault) => readings.push({ line, fault }),
  });
  return { readings, scanned };
}

function asMessage(): Message {
  const { bytes, source, target, rel, hasTarget } = scanner.message;
  const text = (start: number, end: number) => Buffer.from(bytes.subarray(start, end)).toString();
  const node = (part: ScannedPart) => ({
    label: text(part.labelStart, part.labelEnd),
    name: text(part.nameStart, part.nameEnd),
    ...times(part),
  });
  return { source: node(source), ...(hasTarget ? { target: node(target), rel: times(rel) } : {}) };
}

function times({ from, to }: ScannedPart) {
  return { ...(from === ABSENT ? {} : { from }), ...(to === ABSENT ? {} : { to }) };
}

/** No `rel` and an empty one mean the same. */
function reading(value: unknown, line: number): Reading {
  const message = parseMessage(value);
  if (typeof message === 'string') return { line, fault: message };
  return { line, message: message.target ? { ...message, rel: message.rel ?? {} } : message };
}

/** What the same bytes are by the book. */
function reference(bytes: Uint8Array): Reading[] {
  const readings: Reading[] = [];
  const lines = Buffer.from(bytes).toString('latin1').split('\n');
  for (const [i, raw] of lines.entries()) {
    const line = i + 1;
    let text: string;
    try {
      text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: i > 0 }).decode(Buffer.from(raw, 'latin1'));
    } catch {
      readings.push({ line, fault: 'the line is not valid UTF-8' });
      continue;
    }
    try {
      readings.push(reading(JSON.parse(text), line));
    } catch {
      if (text.trim() !== '') readings.push({ line, fault: 'the line is not valid JSON' });
    }
  }
  return readings;
}

const label = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom('App', 'Db', 'Zone9', 'A'.repeat(255)) },
  { weight: 1, arbitrary: fc.constantFrom('app', '', 'Ä', 'A-b', 'A'.repeat(256), 'A\n') },
);
const name = fc.oneof(
  { weight: 9, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      'é'.repeat(1024),
      '😀'.repeat(1024),
      '😀'.repeat(1025),
      'x'.repeat(1025),
      '\u0085',
      '\u00a0',
      'a\u007f',
      '\ud800',
    ),
  },
);
const second = fc.oneof(
  { weight: 9, arbitrary: fc.oneof(fc.nat(), fc.maxSafeNat()) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(null, -1, 1.5, '1', true, 1e21, 2 ** 53, -0) },
);
const moments = fc.record({ from: second, to: second }, { requiredKeys: [] });
const node = fc.record({ label, name, props: moments }, { requiredKeys: ['label', 'name'] });
const nested = fc.record({ source: node, target: node, rel: moments }, { requiredKeys: ['source'] });
const flat = fc.record(
  {
    source_label: label,
    source_name: name,
    source_from: second,
    source_to: second,
    target_label: label,
    target_name: name,
    target_from: second,
    target_to: second,
    rel_from: second,
    rel_to: second,
  },
  { requiredKeys: ['source_label', 'source_name'] },
);
const blank = fc.constantFrom('', '', '', ' ', '\t', '\r', '  ');

/** A JSON text with its keys in another order and blanks wherever they may stand. */
function spelled(value: unknown, draw: () => string, isReversed: boolean): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value);
  const entries = Object.entries(value);
  const fields = (isReversed ? entries.toReversed() : entries).map(
    ([key, one]) => `${draw()}"${key}"${draw()}:${draw()}${spelled(one, draw, isReversed)}${draw()}`,
  );
  return `{${fields.join(',')}${fields.length === 0 ? draw() : ''}}`;
}

const line = fc
  .tuple(fc.oneof(nested, flat), fc.array(blank, { minLength: 7, maxLength: 7 }), fc.boolean())
  .map(([value, blanks, isReversed]) => {
    let at = 0;
    const draw = () => blanks[at++ % blanks.length];
    return draw() + spelled(value, draw, isReversed) + draw();
  });

it('reads lines as the reference reads them', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 5 }), (lines) => {
      const bytes = Buffer.from(lines.map((one) => `${one}\n`).join(''));
      expect(read(bytes).readings).toEqual(reference(bytes));
    }),
    { numRuns: 2000 },
  );
});

const pieces = [
  '"',
  '{',
  '}',
  ',',
  ':',
  '\\',
  '\n',
  '0',
  '.',
  'e',
  '-',
  'null',
  '"rel":{},',
  '"props":{},',
  '"x":1,',
  '_',
  ' ',
  '\u0080',
];
const mutation = fc.record({
  at: fc.nat(),
  remove: fc.nat(6),
  insert: fc.oneof(
    fc.constantFrom(...pieces).map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 2 }).map((bytes) => Buffer.from(bytes)),
  ),
});

it('reads damaged lines as the reference reads them', () => {
  fc.assert(
    fc.property(line, line, fc.array(mutation, { minLength: 1, maxLength: 3 }), (first, next, mutations) => {
      let bytes = Buffer.from(`${first}\n${next}\n`);
      for (const { at, remove, insert } of mutations) {
        const place = at % (bytes.length + 1);
        bytes = Buffer.concat([bytes.subarray(0, place), insert, bytes.subarray(place + remove)]);
      }
      expect(read(bytes).readings).toEqual(reference(bytes));
    }),
    { numRuns: 5000 },
  );
});

it.each([
  ['a key twice', '{"source":{"label":"A","name":"x"},"target":{"label":"A","name":"y"},"rel":{"from":1},"rel":{}}'],
  ['times twice', '{"source":{"label":"A","name":"x","props":{"from":1},"props":{}}}'],
  ['a text with an escape', '{"source":{"label":"A","name":"\\u0041"}}'],
  ['nested and flat keys', '{"source":{"label":"A","name":"x"},"target":{"label":"A","name":"y"},"rel_to":1}'],
  ['a time that begins with zero', '{"source_label":"A","source_name":"x","source_from":01}'],
])('leaves %s to the reference', (_, text) => {
  const bytes = Buffer.from(`${text}\n`);
  expect(read(bytes)).toEqual({ readings: reference(bytes), scanned: [] });
});

it('reads the usual shapes itself, from the first line to the last', () => {
  const lines = [
    '\ufeff{"source":{"label":"App","name":"x"}}',
    '{"source":{"label":"App","name":"ü"},"target":{"name":"y","label":"Db","props":{"from":0,"to":7}},"rel":{"from":5}}\r',
    ' { "source_label" : "App" , "source_name" : "x" , "target_name":"y","target_label":"Db","rel_to":999999999999999 } ',
  ];
  const bytes = Buffer.from(lines.map((one) => `${one}\n`).join(''));
  expect(read(bytes)).toEqual({ readings: reference(bytes), scanned: [1, 2, 3] });
});
