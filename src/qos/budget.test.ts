import fc from 'fast-check';
import { expect, test } from 'vitest';
import { budgetOf, dayBefore } from './budget.ts';

const days = (...values: Array<number | null>) =>
  values.map((value, index) => ({ day: dayBefore('2026-11-14', index), value }));

test('a day at 99 takes a third of what 99.9 over 30 days allows, at a burn rate of 10', () => {
  expect(budgetOf({ target: 99.9, windowDays: 30 }, days(99, 100, 100), '2026-11-14')).toEqual({
    from: '2026-10-16',
    to: '2026-11-14',
    knownDays: 3,
    value: 99.667,
    isMet: false,
    allowedMinutes: 43.2,
    spentMinutes: 14.4,
    leftPercent: 66.667,
    burnRate: { lastDay: 10, lastWeek: 3.333, window: 3.333 },
  });
});

test('days without a figure spend nothing, and without any nothing is known', () => {
  const { knownDays, leftPercent, burnRate } = budgetOf({ target: 99, windowDays: 7 }, days(null, 99), '2026-11-14');
  expect([knownDays, leftPercent, burnRate.lastDay, burnRate.lastWeek]).toEqual([1, 85.714, null, 1]);
  expect(budgetOf({ target: 99, windowDays: 7 }, days(null), '2026-11-14')).toMatchObject({
    value: null,
    isMet: null,
    leftPercent: null,
  });
});

test('where nothing may be missing, the least miss is all', () => {
  const of = (value: number) => budgetOf({ target: 100, windowDays: 7 }, days(value), '2026-11-14');
  expect(of(100)).toMatchObject({ isMet: true, leftPercent: 100, burnRate: { lastDay: null } });
  expect(of(99.999)).toMatchObject({ isMet: false, leftPercent: 0, burnRate: { lastDay: null } });
});

test('days outside of the window do not count', () => {
  const figures = [{ day: '2026-11-15', value: 0 }, ...days(100, 100, 0)];
  expect(budgetOf({ target: 99, windowDays: 2 }, figures, '2026-11-14')).toMatchObject({ knownDays: 2, value: 100 });
});

test('with all days known, the objective is met exactly when something of the budget is left', () => {
  const value = fc.integer({ min: 0, max: 1000 }).map((n) => n / 10);
  fc.assert(
    fc.property(
      fc.array(value, { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 1, max: 999 }),
      (values, tenths) => {
        const target = tenths / 10;
        const mean = values.reduce((sum, one) => sum + one, 0) / values.length;
        fc.pre(Math.abs(mean - target) > 0.01);
        const { isMet, leftPercent } = budgetOf({ target, windowDays: values.length }, days(...values), '2026-11-14');
        expect(isMet).toBe((leftPercent ?? 0) > 0);
      },
    ),
  );
});
