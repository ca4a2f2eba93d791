import { expect, test } from 'vitest';
import { addDays, clockOf, daysUpTo, fillDays, formatPercent, formatSeconds, meanOf, toneOf } from './figures.ts';

test('a figure has three decimals, and what is not known says so', () => {
  expect([100, 99.931, 0, null].map(formatPercent)).toEqual(['100 %', '99.931 %', '0.000 %', 'unknown']);
});

test('without an objective, three nines are good and less than two are bad', () => {
  expect([100, 99.9, 99.5, 98].map((value) => toneOf(value))).toEqual(['good', 'good', 'warn', 'bad']);
});

test('with an objective, missing it is bad and being close to it is a warning', () => {
  expect([100, 99.9, 99.501, 99.4].map((value) => toneOf(value, 99.5))).toEqual(['good', 'good', 'warn', 'bad']);
  expect(toneOf(100, 100)).toBe('good');
});

test('seconds are told in the units people use', () => {
  expect([0, 59, 60, 2820, 3600, 3661, 86_399].map(formatSeconds)).toEqual([
    '0 s',
    '59 s',
    '1 min',
    '47 min',
    '1 h',
    '1 h 1 min',
    '23 h 59 min',
  ]);
});

test('days go over the ends of months and years', () => {
  expect(addDays('2026-12-31', 1)).toBe('2027-01-01');
  expect(daysUpTo('2026-03-01', 3)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
});

test('the mean leaves out what is not known', () => {
  expect(meanOf([null, 99, 100])).toBe(99.5);
  expect(meanOf([null])).toBeNull();
});

test('a clock shows seconds only where they matter', () => {
  expect([clockOf(Date.UTC(2026, 1, 1, 13, 12) / 1000), clockOf(Date.UTC(2026, 1, 1, 13, 12, 5) / 1000)]).toEqual([
    '13:12',
    '13:12:05',
  ]);
});

test('a day without a figure is null, not zero', () => {
  const data = [{ day: '2026-02-28', value: 99.5 }];
  expect(fillDays(data, ['2026-02-27', '2026-02-28'])).toEqual([null, 99.5]);
});

test('a figure is cut after three decimals, so that 100 % is said only of the perfect', () => {
  expect([100, 99.999_96, 99.989, 0].map(formatPercent)).toEqual(['100 %', '99.999 %', '99.989 %', '0.000 %']);
});
