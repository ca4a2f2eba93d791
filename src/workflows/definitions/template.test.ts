import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json, Scope } from '../plan.ts';
import { ExpressionError } from './expression-evaluate.ts';
import { renderTemplates } from './template.ts';

const scope: Scope = {
  payload: { id: 7, list: [1, 2], name: 'Ann', text: '{{payload.id}}' },
  results: {},
  previous: null,
  instance: { id: 'i', project: 'p', name: 'N', fullname: 'p.N' },
};

test.each<[Json, Json]>([
  ['order {{payload.id}} of {{ payload.name }}', 'order 7 of Ann'],
  ['{{payload.list}}', [1, 2]],
  [' {{payload.list}}', ' [1,2]'],
  ['{{payload.missing}}', null],
  ['x{{payload.missing}}y', 'xy'],
  ['{{ { a: { b: payload.id } } }}', { a: { b: 7 } }],
  ['{{ "}}" }}', '}}'],
  ["{{ 'it\\'s }}' }}", "it's }}"],
  [
    { a: ['{{payload.id}}', { b: '{{payload.name}}!' }], n: 1 },
    { a: [7, { b: 'Ann!' }], n: 1 },
  ],
  ['no expression } here {', 'no expression } here {'],
])('%j becomes %j', (template, expected) => {
  expect(renderTemplates(template, scope)).toEqual(expected);
});

test('what comes out of an expression is not read as a template again', () => {
  expect(renderTemplates('{{payload.text}}', scope)).toBe('{{payload.id}}');
});

test('a "{{" without an end, and a bad expression, are refused', () => {
  expect(() => renderTemplates('x {{payload.id', scope)).toThrow('has no "}}"');
  expect(() => renderTemplates('{{payload.}}', scope)).toThrow(ExpressionError);
});

test('values without "{{" come back as they are, whatever they are', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      fc.pre(!JSON.stringify(value).includes('{{'));
      expect(renderTemplates(value as Json, scope)).toEqual(value);
    }),
  );
});
