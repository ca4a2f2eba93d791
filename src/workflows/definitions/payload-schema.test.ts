import { expect, test } from 'vitest';
import type { Json } from '../plan.ts';
import { compilePayloadSchema } from './payload-schema.ts';

function validate(schema: Json, payload: Json) {
  const compiled = compilePayloadSchema(schema);
  if ('faults' in compiled) throw new Error(JSON.stringify(compiled.faults));
  return compiled.validate(payload);
}

const order = {
  type: 'object',
  properties: { user: { type: 'integer' }, product: { type: 'integer' }, kind: { enum: ['a', 'b'] } },
  required: ['user', 'product'],
  additionalProperties: false,
};

test('all complaints come at once, each with its path', () => {
  expect(validate(order, { user: 'john', kind: 'c', extra: 1 })).toEqual([
    { path: 'product', message: 'is required' },
    { path: 'extra', message: 'is not a known property' },
    { path: 'user', message: 'must be integer' },
    { path: 'kind', message: 'must be one of "a", "b"' },
  ]);
  expect(validate(order, { user: 1, product: 2 })).toEqual([]);
});

test('draft 2020-12 and draft-07 are both understood', () => {
  const modern = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'array',
    prefixItems: [{ type: 'string' }],
  };
  const older = { $schema: 'http://json-schema.org/draft-07/schema#', type: 'array', items: [{ type: 'string' }] };
  expect(validate(modern, [1])).toHaveLength(1);
  expect(validate(older, [1])).toHaveLength(1);
});

test('a schema that names no draft and makes sense only as draft-07 is one', () => {
  const schema = { type: 'array', items: [{ $ref: '#/definitions/name' }], definitions: { name: { type: 'string' } } };
  expect(validate(schema, [1])).toHaveLength(1);
});

test.each<[Json, string[]]>([
  [{ type: 'strng' }, ['type']],
  [{ properties: { a: { minimum: 'x' } } }, ['properties', 'a', 'minimum']],
  [{ properties: { a: { $ref: '#/nowhere' } } }, ['properties', 'a', '$ref']],
  [{ pattern: '(' }, ['pattern']],
  [[], []],
  [{ $async: true }, ['$async']],
])('%j is refused, and the path says where', (schema, path) => {
  const compiled = compilePayloadSchema(schema);
  expect(compiled).toMatchObject({ faults: [{ path }] });
});

test('a pattern that backtracks for ever is cut short and complained about', () => {
  const schema = { type: 'object', properties: { id: { type: 'string', pattern: '^(a+)+$' } } };
  const complaints = validate(schema, { id: `${'a'.repeat(60)}!` });
  expect(complaints).toEqual([{ path: '', message: expect.stringContaining('to check against its schema') }]);
  expect(validate(schema, { id: 'aaa' })).toEqual([]);
});

test('formats are checked', () => {
  const schema = { type: 'object', properties: { mail: { type: 'string', format: 'email' } } };
  expect(validate(schema, { mail: 'nobody' })).toEqual([{ path: 'mail', message: 'must match format "email"' }]);
});
