import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstPayload, formSchemaOf, readPayload } from './payload.ts';

test('an object with known fields makes a form, anything else does not', () => {
  expect(formSchemaOf({ type: 'object', properties: { id: { type: 'string' } } })).toBeDefined();
  for (const schema of [
    undefined,
    true,
    {},
    { type: 'object' },
    { type: 'object', properties: {} },
    { type: 'array' },
  ]) {
    expect(formSchemaOf(schema)).toBeUndefined();
  }
});

test('a form begins with the defaults, and with what the schedule gives', () => {
  const payload_schema = {
    type: 'object',
    properties: { total: { type: 'number', default: 120 }, id: { type: 'string' } },
  };
  expect(firstPayload({ payload_schema })).toEqual({ total: 120 });
  expect(firstPayload({ payload_schema, periodic: { payload: { id: 'nightly' } } })).toEqual({
    total: 120,
    id: 'nightly',
  });
  expect(firstPayload({})).toEqual({});
});

test('what was written as JSON is read as it was', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (payload) => {
      const text = JSON.stringify(payload);
      expect(readPayload(text)).toEqual({ payload: JSON.parse(text) });
    }),
  );
});

test('what is no object is told', () => {
  expect(readPayload('')).toEqual({ payload: {} });
  expect(readPayload('[1]')).toMatchObject({ fault: expect.stringContaining('object') });
  expect(readPayload('{ id: 1 }')).toMatchObject({ fault: expect.stringContaining('not JSON') });
});
