import { InvalidArgumentError } from 'commander';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDelimiter, parseExpiry, parseGrants, parseRenamings, parseScopes, parseTime } from './arguments.ts';
import { changeGrants } from './grants.ts';

const noon = Date.parse('2026-11-15T12:00:00Z');

test.each([
  ['90m', '2026-11-15T13:30:00.000Z'],
  ['12h', '2026-11-16T00:00:00.000Z'],
  ['30d', '2026-12-15T12:00:00.000Z'],
  ['2w', '2026-11-29T12:00:00.000Z'],
  ['2027-01-31', '2027-01-31T00:00:00.000Z'],
  ['2027-01-31T12:00+01:00', '2027-01-31T11:00:00.000Z'],
])('%s expires at %s', (text, expected) => {
  expect(parseExpiry(text, noon)).toBe(expected);
});

test.each(['', 'soon', '30', '30y', '-1d', '2027-13-01', '31/01/2027', '2027'])('"%s" is no time', (text) => {
  expect(() => parseExpiry(text, noon)).toThrow('Give it as');
});

/** What a person would see: the time, or the code of the refusal. */
function understand(text: string): number | string {
  try {
    return Date.parse(parseExpiry(text, noon));
  } catch (error) {
    return error instanceof InvalidArgumentError ? error.code : Number.NaN;
  }
}

test('any text is either understood as a time or refused with an explanation', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(understand(text)).not.toBeNaN();
    }),
  );
});

test('scopes are understood in any case and with spaces', () => {
  expect(parseScopes('read, WRITE,,Admin')).toEqual(['Read', 'Write', 'Admin']);
  expect(() => parseScopes('Read,Root')).toThrow('"Root" is no scope; there are Read, Write, Service, Admin.');
});

test('a user with "=" in the name can be granted a role', () => {
  expect(parseGrants('a=b=Editor')).toEqual([{ user: 'a=b', role: 'editor' }]);
  expect(() => parseGrants('ann')).toThrow('USER=ROLE');
});

test('grants change one by one, or all at once', () => {
  const former = [
    { user: 'ann', role: 'member' as const },
    { user: 'bob', role: 'editor' as const },
  ];
  const set = [{ user: 'ann', role: 'manager' as const }];
  expect(changeGrants(former, {})).toBeUndefined();
  expect(changeGrants(former, { set })).toEqual([...set, former[1]]);
  expect(changeGrants(former, { remove: ['ann'] })).toEqual([former[1]]);
  expect(changeGrants(former, { set, replace: true })).toEqual(set);
  expect(changeGrants(former, { replace: true })).toEqual([]);
  expect(() => changeGrants(former, { remove: ['eve'] })).toThrow('"eve" has no grant here');
});

test('a time is unix seconds, a date in UTC, or a time with its zone', () => {
  const times = ['1794708480', '2026-11-15', '2026-11-15T02:08:00Z', '2026-11-15T03:08:00.5+01:00'].map(parseTime);
  expect(times).toEqual([1_794_708_480, 1_794_700_800, 1_794_708_480, 1_794_708_480]);
  for (const text of ['', 'now', '-1', '2026-13-01', '2026-11-15T02:08:00'])
    expect(() => parseTime(text)).toThrow(InvalidArgumentError);
});

test('a delimiter is one character, and a tab may be spelt', () => {
  expect([';', 'tab', '\\t', '\t'].map(parseDelimiter)).toEqual([';', '\t', '\t', '\t']);
  for (const text of ['', '"', '::', '\n']) expect(() => parseDelimiter(text)).toThrow(InvalidArgumentError);
});

test('a renamed column may have "=" in its name', () => {
  expect(parseRenamings('a=b=source_name')).toEqual([{ column: 'a=b', field: 'source_name' }]);
  for (const text of ['a', '=rel_to', 'a=name']) expect(() => parseRenamings(text)).toThrow(InvalidArgumentError);
});
