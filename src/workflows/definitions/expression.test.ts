import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json, Scope } from '../plan.ts';
import { compileExpression, evaluateExpression } from './expression.ts';
import { ExpressionError } from './expression-evaluate.ts';

const instance = { id: 'i', project: 'shop', name: 'ORDER', fullname: 'shop.ORDER' };
const scopeOf = (payload: Scope['payload'], extra: Partial<Scope> = {}): Scope => ({
  payload,
  results: {},
  previous: null,
  instance,
  ...extra,
});
const scope = scopeOf(
  { id: 'A-1', total: 12.5, tags: ['red', 'blue'], address: { city: 'Lyon' }, none: null },
  { results: { RESERVE: { items: [1, 2, 3] } }, previous: 'before', item: { sku: 7 }, index: 0 },
);

test.each<[string, Json]>([
  ['payload.total > 0', true],
  ['payload.total * 2 + 1', 26],
  ['payload["id"]', 'A-1'],
  ['payload.tags[1]', 'blue'],
  ['payload.tags[2]', null],
  ['payload.tags[-1]', null],
  ['payload.tags.length', 2],
  ['payload.nothing.at.all', null],
  ['payload.nothing > 0', false],
  ['payload.nothing ?? "default"', 'default'],
  ['payload.nothing?.deeper', null],
  ['results.RESERVE.items', [1, 2, 3]],
  ['previous + "!"', 'before!'],
  ['item.sku == 7 && index == 0', true],
  ['instance.fullname', 'shop.ORDER'],
  ['{ order: payload.id, all: [1, null, true] }', { order: 'A-1', all: [1, null, true] }],
  ['{ "a b": 1 }', { 'a b': 1 }],
  ['payload.tags == ["red", "blue"]', true],
  ['payload.address != { city: "Paris" }', true],
  ['!payload.none ? "yes" : "no"', 'yes'],
  ['contains(payload.tags, "red")', true],
  ['contains(payload.id, "A-")', true],
  ['contains(payload.address, "city")', true],
  ['length(payload.nothing) + length("ab") + length(payload.tags)', 4],
  ['keys(payload.address)', ['city']],
  ['upper(lower("Ab")) + string(1) + string(null)', 'AB1'],
  ['number("1.5") % 1', 0.5],
  ['"b" > "a"', true],
  ['-payload.total', -12.5],
])('%s is %j', (text, expected) => {
  expect(evaluateExpression(text, scope)).toEqual(expected);
});

test.each<[string, number, string]>([
  ['payload.total >', 15, 'cannot be read'],
  ['payload.a + totl', 12, '"totl" is not known here'],
  ['payoad.a', 0, 'Did you mean "payload"?'],
  ['"payload2" + payload2', 13, '"payload2" is not known here'],
  ['now()', 0, 'There is no function "now"'],
  ['payload.id.trim()', 0, 'There is no function'],
  ['length(1, 2)', 0, 'takes one value'],
  ['1 | 2', 2, 'no operator "|"'],
  ['this.payload', 0, 'no "this"'],
  ['payload.a; payload.b', 0, 'Write one expression'],
  ['', 0, 'missing'],
])('%s is refused at offset %i', (text, offset, message) => {
  expect(compileExpression(text)).toEqual({ fault: { offset, message: expect.stringContaining(message) } });
});

test.each([
  ['1 / 0', 'divided by zero'],
  ['payload.id * 2', 'only numbers'],
  ['payload.id > 3', 'Cannot compare'],
  ['number("x")', 'no number'],
  ['keys(payload.tags)', 'no keys'],
])('%s cannot be evaluated, and says why', (text, message) => {
  expect(() => evaluateExpression(text, scope)).toThrow(ExpressionError);
  expect(() => evaluateExpression(text, scope)).toThrow(message);
});

const inherited = [
  'constructor',
  '__proto__',
  'prototype',
  'toString',
  'hasOwnProperty',
  'map',
  '__defineGetter__',
  'then',
];

test.each(inherited)('.%s is null on every kind of value', (name) => {
  for (const value of [
    'payload',
    'payload.tags',
    'payload.id',
    'payload.total',
    'null',
    '{ a: 1 }',
    '[1]',
    '"x"',
    'true',
    'instance',
  ]) {
    expect(evaluateExpression(`(${value}).${name}`, scope)).toBeNull();
    expect(evaluateExpression(`(${value})["${name}"]`, scope)).toBeNull();
  }
});

test('a key called __proto__ is a key like any other', () => {
  const made = evaluateExpression('{ "__proto__": { polluted: true } }', scope);
  expect(Object.keys(made ?? {})).toEqual(['__proto__']);
  expect(Object.getPrototypeOf(made)).toBe(Object.prototype);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

test('what an expression makes is bounded, also when it only repeats', () => {
  const large = scopeOf({ text: 'x'.repeat(1_000_000) });
  const twenty = Array.from({ length: 20 }, () => 'payload').join(', ');
  expect(() => evaluateExpression(`[${twenty}]`, large)).toThrow('too large');
  expect(() => evaluateExpression(`string([${twenty}])`, large)).toThrow('too large');
  expect(() => evaluateExpression(Array.from({ length: 20 }, () => 'payload.text').join(' + '), large)).toThrow(
    'too large',
  );
});

test('how long an expression works is bounded', () => {
  const list = Array.from({ length: 60_000 }, () => 1);
  expect(() => evaluateExpression('payload.list == payload.same', scopeOf({ list, same: [...list] }))).not.toThrow();
  expect(() => evaluateExpression('contains(payload.list, 2) || contains(payload.list, 3)', scopeOf({ list }))).toThrow(
    'too many steps',
  );
});

test('length, brackets and depth of the source are bounded', () => {
  expect(compileExpression(`"${'x'.repeat(3000)}"`)).toMatchObject({
    fault: { message: expect.stringContaining('2000 characters') },
  });
  expect(compileExpression('('.repeat(900))).toMatchObject({ fault: { message: expect.stringContaining('deep') } });
  expect(compileExpression(`${'!'.repeat(1900)}true`)).toMatchObject({
    fault: { message: expect.stringContaining('deep') },
  });
  expect(compileExpression(Array.from({ length: 900 }, () => '1').join('+'))).toMatchObject({ fault: {} });
});

test('a value that is nested too deeply is the fault of the expression', () => {
  let deep: Json = 1;
  for (let level = 0; level < 50_000; level++) deep = [deep];
  expect(() => evaluateExpression('payload.deep', scopeOf({ deep }))).toThrow(ExpressionError);
});

const word = fc.constantFrom(
  'payload',
  'results',
  'item',
  '.a',
  '["b"]',
  '1',
  '"t"',
  'null',
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  ',',
  ':',
  '?',
  '??',
  '+',
  '-',
  '*',
  '/',
  '%',
  '==',
  '!=',
  '<',
  '>=',
  '&&',
  '||',
  '!',
  'length',
  'contains',
  'keys',
  'string',
  'number',
  '__proto__',
  'constructor',
  '.constructor',
  ' ',
  ';',
  '=>',
  '`',
  "'",
  '\\',
);
const anyText = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.array(word, { maxLength: 14 }).map((words) => words.join(' ')),
);

/** What happened: "value", "fault" or "error"; anything else would be a mistake of ours. */
function outcomeOf(text: string, payload: Scope['payload']): string {
  const compiled = compileExpression(text);
  if ('fault' in compiled) {
    return compiled.fault.offset >= 0 && compiled.fault.offset <= text.length
      ? 'fault'
      : `offset ${compiled.fault.offset}`;
  }
  try {
    const value = compiled.evaluate(scopeOf(payload));
    return typeof JSON.stringify(value) === 'string' && typeof value !== 'function' ? 'value' : typeof value;
  } catch (error) {
    return error instanceof ExpressionError ? 'error' : String(error);
  }
}

test('whatever the text and the payload, the outcome is a JSON value, a fault with an offset inside the text, or an ExpressionError', () => {
  fc.assert(
    fc.property(anyText, fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 }), (text, payload) => {
      // A generated JSON value is Json; fast-check types it more loosely.
      expect(['value', 'fault', 'error']).toContain(outcomeOf(text, payload as Scope['payload']));
    }),
    { numRuns: 2000 },
  );
});
