import { expect, test } from 'vitest';
import { describeQuery, suggest, take } from './query-words.ts';

const known = { labels: ['Server', 'Service', 'Pool'], rules: ['Up', 'Server answers'] };

test('a query is told as a sentence', () => {
  expect(describeQuery('operation.AND[Database, Pool]')).toBe(
    'Good while every Database and Pool it depends on is good.',
  );
  expect(describeQuery('operation.RATIO(0.55)[Server]')).toBe(
    'Good while at least 55 % of the Server it depends on are good.',
  );
  expect(describeQuery('operation.')).toBeUndefined();
});

test('an empty query may begin in every way', () => {
  expect(suggest('', 0, known).options).toContain('operation.AND[]');
});

test('behind "rule." stand the rules, in quotes where they need them', () => {
  expect(suggest('rule.', 5, known).options).toEqual(['Up', "'Server answers'"]);
  expect(suggest('rule.ser', 8, known).options).toEqual(["'Server answers'"]);
  expect(take('rule.ser', suggest('rule.ser', 8, known), "'Server answers'").text).toBe("rule.'Server answers'");
});

test('inside of brackets stand the labels that are not named yet', () => {
  const text = 'operation.AND[Server, P]';
  const found = suggest(text, text.length - 1, known);
  expect(found.options).toEqual(['Pool']);
  expect(take(text, found, 'Pool')).toEqual({ text: 'operation.AND[Server, Pool]', cursor: 26 });
});

test('a beginning leaves the cursor where the labels go', () => {
  expect(take('op', suggest('op', 2, known), 'operation.OR[]')).toEqual({ text: 'operation.OR[]', cursor: 13 });
});
