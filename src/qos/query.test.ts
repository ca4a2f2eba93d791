import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { generateParser } from '../../scripts/grammar.ts';
import { checkConfig } from './config-check.ts';
import { parseQuery, printQuery, type QosQuery } from './query.ts';

const label = fc.stringMatching(/^[A-Z][A-Za-z0-9]{0,8}$/);
const labels = fc.array(label, { minLength: 1, maxLength: 5 });
const query: fc.Arbitrary<QosQuery> = fc.oneof(
  fc.record({ kind: fc.constant('rule'), name: fc.stringMatching(/^[^'\p{Cc}]{1,20}$/u) }),
  fc.record({ kind: fc.constant('operation'), operator: fc.constantFrom('AND', 'OR'), labels }),
  fc.record({
    kind: fc.constant('operation'),
    operator: fc.constant('ATLEAST'),
    threshold: fc.integer({ min: 1, max: 99 }),
    labels,
  }),
  fc.record({
    kind: fc.constant('operation'),
    operator: fc.constant('RATIO'),
    threshold: fc.integer({ min: 0, max: 100 }).map((percent) => percent / 100),
    labels,
  }),
  fc.record({ kind: fc.constant('aggregation'), operator: fc.constantFrom('AVERAGE', 'MIN', 'MAX'), labels }),
);

test('parsing what was printed gives the query back', () => {
  const isKept = (one: QosQuery) => isDeepStrictEqual(parseQuery(printQuery(one)), { query: { ...one } });
  expect(fc.check(fc.property(query, isKept))).toMatchObject({ failed: false });
});

test('the committed parser is the one that the grammar describes', () => {
  expect(readFileSync(new URL('query-parser.js', import.meta.url), 'utf8')).toBe(generateParser());
});

test('a fault is told with line and column', () => {
  expect(parseQuery('operation.AND[\n  Api,\n  database]')).toMatchObject({ fault: { line: 3, column: 3 } });
  expect(parseQuery('')).toMatchObject({ fault: { line: 1, column: 1 } });
});

test.each([
  ['an unknown label', { Web: { qos: 'operation.AND[Api, Nope]' } }, ['Web.qos: line 1, column 20: the label Nope is']],
  [
    'a circle',
    { A: { qos: 'operation.AND[B]' }, B: { qos: 'operation.OR[A]' } },
    ['A.qos: line 1, column 15: A → B → A'],
  ],
  ['itself', { A: { qos: 'operation.AND[A]' } }, ['A.qos: line 1, column 15: A → A is circular']],
  [
    'an operation on an aggregation',
    { A: { qos: 'operation.AND[B]' }, B: { qos: 'aggregation.MIN[Api]' } },
    ['A.qos: line 1, column 15: B is an aggregation'],
  ],
  ['a rule that is not there', { A: { qos: "rule.\n 'Down'" } }, ['A.qos: line 1, column 6: there is no rule "Down"']],
  ['nothing wrong', { A: { qos: 'aggregation.AVERAGE[B]' }, B: { qos: "rule.'Up time'" } }, []],
])('a configuration with %s', (_what, config, expected) => {
  const known = { graphLabels: new Set(['Api']), rules: new Set(['R', 'Up time']) };
  const faults = checkConfig(config, known).map(({ path, message }) => `${path}: ${message}`);
  expect(faults).toHaveLength(expected.length);
  for (const [index, start] of expected.entries()) expect(faults[index]).toContain(start);
});
