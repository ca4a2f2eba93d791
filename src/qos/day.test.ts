import { expect, test } from 'vitest';
import { addDays, daysBetween, isDay } from './day.ts';

test.each(['1970-01-01', '2026-11-15', '2028-02-29', '8999-12-31'])('%s is a day', (text) => {
  expect(isDay(text)).toBe(true);
});

test.each(['', '2026-02-30', '2026-13-01', '2026-1-1', '1969-12-31', '0000-01-01', '9999-12-31', '2026-11-15T00'])(
  '"%s" is none',
  (text) => {
    expect(isDay(text)).toBe(false);
  },
);

test('days are counted over the ends of months and years', () => {
  expect(addDays('2026-12-31', 1)).toBe('2027-01-01');
  expect(daysBetween('2026-02-27', '2026-03-01')).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
  expect(daysBetween('2026-03-02', '2026-03-01')).toEqual([]);
});
