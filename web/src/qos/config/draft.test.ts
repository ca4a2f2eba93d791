import { expect, test } from 'vitest';
import { printConfig, readConfig, toConfig, toRows } from './draft.ts';

const config = { Pool: { qos: 'operation.OR[Server]' }, Api: { qos: 'rule.Up' } };

test('labels of the graph without a query are rows, too, but not part of the configuration', () => {
  const rows = toRows(config, ['Server', 'Api']);
  expect(rows.map(({ label, qos }) => [label, qos])).toEqual([
    ['Api', 'rule.Up'],
    ['Pool', 'operation.OR[Server]'],
    ['Server', ''],
  ]);
  expect(toConfig(rows)).toEqual(config);
});

test('what was printed is read again, by label', () => {
  const text = printConfig(config);
  expect(text.indexOf('Api')).toBeLessThan(text.indexOf('Pool'));
  expect(readConfig(text)).toEqual(config);
});

test.each([
  ['{', /^Not JSON yet/],
  ['[]', /^It must be an object/],
  ['{"A": null}', /^A must be like/],
  ['{"A": "rule.Up"}', /^A must be like/],
])('%s is refused in words', (text, words) => {
  expect(readConfig(text)).toMatch(words);
});
