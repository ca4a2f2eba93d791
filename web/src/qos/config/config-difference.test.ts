import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareTexts, differenceOf, summaryOf } from './config-difference.ts';

const before = { A: { qos: 'rule.X' }, B: { qos: 'rule.Y' }, C: { qos: 'rule.Z' } };

test('added, changed and removed labels are told, the others not', () => {
  const differences = differenceOf(before, { A: { qos: 'rule.X' }, B: { qos: 'rule.Q' }, D: { qos: 'rule.Z' } });
  expect(differences).toEqual([
    { label: 'B', before: 'rule.Y', after: 'rule.Q' },
    { label: 'C', before: 'rule.Z', after: undefined },
    { label: 'D', before: undefined, after: 'rule.Z' },
  ]);
  expect(summaryOf(differences)).toBe('1 added, 1 changed, 1 removed');
  expect(summaryOf(differenceOf(before, before))).toBe('nothing changed');
});

test('only the words that differ are marked', () => {
  const { before: left, after: right } = compareTexts('operation.AND[Server]', 'operation.RATIO(0.5)[Server]');
  expect(left.filter(({ isDifferent }) => isDifferent).map(({ text }) => text)).toEqual(['AND']);
  expect(right.filter(({ isDifferent }) => isDifferent).map(({ text }) => text)).toEqual(['RATIO(0.5)']);
});

test('the parts make up the texts, and what is not marked is the same in both', () => {
  const text = fc.array(fc.constantFrom('A', 'Bc', ',', ' ', '[', ']', '.', '1')).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, text, (one, other) => {
      const compared = compareTexts(one, other);
      expect(compared.before.map((part) => part.text).join('')).toBe(one);
      expect(compared.after.map((part) => part.text).join('')).toBe(other);
      const same = (parts: typeof compared.before) =>
        parts.flatMap((part) => (part.isDifferent ? [] : part.text)).join('');
      expect(same(compared.before)).toBe(same(compared.after));
    }),
  );
});
