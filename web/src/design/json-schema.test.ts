import { expect, test } from 'vitest';
import { defaultOf, type JsonSchema, kindOf, labelOf, resolveSchema } from './json-schema.ts';

test.each<[JsonSchema, string]>([
  [{ type: 'string' }, 'text'],
  [{ type: 'string', format: 'password' }, 'secret'],
  [{ type: 'string', writeOnly: true }, 'secret'],
  [{ type: 'string', maxLength: 10_000 }, 'long-text'],
  [{ type: ['string', 'null'] }, 'text'],
  [{ type: 'integer' }, 'integer'],
  [{ enum: ['a', 'b'] }, 'choice'],
  [{ type: 'array', items: { type: 'string' } }, 'list'],
  [{ type: 'array' }, 'json'],
  [{ type: 'object', properties: {} }, 'object'],
  [{ type: 'object' }, 'json'],
  [{ type: ['string', 'boolean'] }, 'json'],
  [{}, 'json'],
])('%j is shown as %s', (schema, kind) => {
  expect(kindOf(schema)).toBe(kind);
});

test('a reference is followed inside the document, and what stands beside it wins', () => {
  const root: JsonSchema = { $defs: { place: { type: 'string', title: 'Place' } } };
  expect(resolveSchema({ $ref: '#/$defs/place', description: 'Where' }, root)).toEqual({
    type: 'string',
    title: 'Place',
    description: 'Where',
  });
});

test('a reference that leads nowhere, or in a circle, ends', () => {
  expect(resolveSchema({ $ref: '#/$defs/missing' }, {})).toEqual({});
  const root: JsonSchema = { $defs: { a: { $ref: '#/$defs/a' } } };
  expect(kindOf(resolveSchema({ $ref: '#/$defs/a' }, root))).toBe('json');
});

test('"this or null" is this', () => {
  expect(resolveSchema({ anyOf: [{ type: 'integer' }, { type: 'null' }], title: 'Count' }, {})).toEqual({
    type: 'integer',
    title: 'Count',
  });
});

test('a form begins with the defaults, and nothing else', () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: {
      port: { type: 'integer', default: 587 },
      host: { type: 'string' },
      inner: { type: 'object', properties: { deep: { type: 'boolean', default: false } } },
    },
  };
  expect(defaultOf(schema)).toEqual({ port: 587, inner: { deep: false } });
});

test('a key becomes words, unless it has a title', () => {
  expect(labelOf('step_seconds', {})).toBe('Step seconds');
  expect(labelOf('retryCount', {})).toBe('Retry count');
  expect(labelOf('url', {})).toBe('URL');
  expect(labelOf('x', { title: 'The place' })).toBe('The place');
});

const kind = (schema: JsonSchema) => kindOf(resolveSchema(schema, schema));

test('"this or null" and "this or empty text" are this', () => {
  expect(kind({ anyOf: [{ type: 'boolean' }, { type: 'null' }] })).toBe('boolean');
  expect(
    kind({
      anyOf: [
        { type: 'string', enum: [''] },
        { type: 'string', maxLength: 4000 },
      ],
    }),
  ).toBe('long-text');
  expect(kind({ anyOf: [{ const: '' }, { type: 'string', maxLength: 10 }] })).toBe('text');
});

test('a number or a text is one field', () => {
  expect(kind({ anyOf: [{ type: 'number' }, { type: 'string', maxLength: 100 }] })).toBe('number-or-text');
});

test('texts under any name are a map; other values are JSON', () => {
  expect(kind({ type: 'object', additionalProperties: { type: 'string' } })).toBe('map');
  expect(kind({ type: 'object', additionalProperties: { anyOf: [{ enum: [''] }, { type: 'string' }] } })).toBe('map');
  expect(kind({ type: 'object', additionalProperties: { type: 'number' } })).toBe('json');
  expect(kind({ type: 'object', additionalProperties: false })).toBe('json');
});

test('references are followed, and defaults found behind them', () => {
  const schema = {
    type: 'object',
    properties: { step: { $ref: '#/$defs/step' }, name: { type: 'string' } },
    $defs: { step: { type: 'integer', default: 60 } },
  };
  expect(defaultOf(schema)).toEqual({ step: 60 });
});
