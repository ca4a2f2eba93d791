import { expect, test } from 'vitest';
import { daysUntil, fillDays, formatPercent, meanOf, toneOf } from './qos-days.ts';

test('days are counted in UTC, today last', () => {
  expect(daysUntil(new Date('2026-03-01T00:30:00Z'), 3)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
});

test('a day without a figure is null, not zero', () => {
  const data = [{ day: '2026-02-28', value: 99.5 }];
  expect(fillDays(data, ['2026-02-27', '2026-02-28'])).toEqual([null, 99.5]);
});

test('the mean leaves out what is not known', () => {
  expect(meanOf([null, 99, 100])).toBe(99.5);
  expect(meanOf([null])).toBeNull();
});

test('less than three nines is a warning, less than two is bad', () => {
  expect([100, 99.9, 99.899, 98.999].map(toneOf)).toEqual(['good', 'good', 'warn', 'bad']);
});

test('a figure is cut after three decimals, so that 100 % is said only of the perfect', () => {
  expect([100, 99.999_96, 99.989, 0].map(formatPercent)).toEqual(['100 %', '99.999 %', '99.989 %', '0.000 %']);
});
