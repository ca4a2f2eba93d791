import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { waitMs } from './back-off.ts';
import type { Filters, ListeningChannel, Occasion } from './event.ts';
import { fitsGlob, isWanted } from './matching.ts';

const channel = (filters: Filters, more: Partial<ListeningChannel> = {}): ListeningChannel => ({
  team_id: 'a',
  filters,
  on_success: 'always',
  on_failure: 'always',
  on_start: 'always',
  ...more,
});
const failed: Occasion = {
  event: 'workflow.failed',
  key: 'k',
  phase: 'failure',
  isChange: false,
  about: { kind: 'workflow', project: 'shop', fullname: 'shop.ORDER' },
};
const stale: Occasion = { ...failed, event: 'service.stale', isChange: true, about: { kind: 'service', type: 'api' } };

describe('a channel', () => {
  test('without filters is told of everything', () => {
    expect([failed, stale].map((occasion) => isWanted(channel({}), occasion))).toEqual([true, true]);
  });

  test('with filters is told only of what they speak of', () => {
    const told = (filters: Filters) => [failed, stale].map((occasion) => isWanted(channel(filters), occasion));
    expect(told({ workflows: ['shop.*'] })).toEqual([true, false]);
    expect(told({ projects: ['shop'], workflows: ['*.PAY'] })).toEqual([false, false]);
    expect(told({ services: ['api', 'x'] })).toEqual([false, true]);
    expect(told({ projects: ['s*'], services: ['a?i'] })).toEqual([true, true]);
    expect(told({ projects: [] })).toEqual([false, false]);
    expect(told({ labels: ['*'] })).toEqual([false, false]);
  });

  test('is told as its policy for that kind of event says', () => {
    const told = (on_failure: 'always' | 'change' | 'never') =>
      [failed, stale].map((occasion) => isWanted(channel({}, { on_failure }), occasion));
    expect([told('always'), told('change'), told('never')]).toEqual([
      [true, true],
      [false, true],
      [false, false],
    ]);
  });

  test('of another team is not told of what belongs to one', () => {
    expect(isWanted(channel({}), { ...failed, teamId: 'b' })).toBe(false);
    expect(isWanted(channel({}), { ...failed, teamId: 'a' })).toBe(true);
  });
});

test('globs mean what the regular expression of the same sense means', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 8 });
  const globs = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*', '?'), maxLength: 6 });
  fc.assert(
    fc.property(globs, letters, (glob, text) => {
      const same = glob.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.');
      expect(fitsGlob(glob, text)).toBe(new RegExp(`^${same}$`).test(text));
    }),
    { numRuns: 2000 },
  );
  expect(fitsGlob('*a'.repeat(100), 'a'.repeat(300) + 'b')).toBe(false);
});

test('waits grow threefold up to an hour, a quarter longer at most, and no shorter than the receiver asks', () => {
  const least = [1, 2, 3, 4, 5, 6, 7, 8].map((attempt) => waitMs(attempt, 0) / 1000);
  expect(least).toEqual([5, 15, 45, 135, 405, 1215, 3600, 3600]);
  expect(waitMs(1, 1)).toBe(6250);
  expect(waitMs(1, 0, 60)).toBe(60_000);
  expect(waitMs(1, 0, 1e9)).toBe(3_600_000);
});
