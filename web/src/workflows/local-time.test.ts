import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromLocalInput, toLocalInput } from './local-time.ts';

test('a minute survives the way to the field and back', () => {
  const minutes = fc.date({ min: new Date('1980-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
  fc.assert(
    fc.property(minutes, (date) => {
      date.setUTCSeconds(0, 0);
      const local = toLocalInput(date.toISOString());
      // Twice a year an hour has two meanings; the field cannot say which.
      expect(toLocalInput(fromLocalInput(local))).toBe(local);
    }),
  );
});

test('nothing, and nonsense, is nothing', () => {
  expect([toLocalInput(''), toLocalInput('soon'), fromLocalInput(''), fromLocalInput('soon')]).toEqual([
    '',
    '',
    '',
    '',
  ]);
});
