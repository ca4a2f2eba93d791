import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatDuration } from '../design/duration.ts';
import { describeSchedule, durationOf } from './duration.ts';

test.each([
  [0, '0 ms'],
  [420, '420 ms'],
  [999.6, '1.0 s'],
  [3210, '3.2 s'],
  [59_949, '59.9 s'],
  [59_990, '1 min'],
  [245_000, '4 min 5 s'],
  [3_599_600, '1 h'],
  [7_380_000, '2 h 3 min'],
  [273_600_000, '3 d 4 h'],
])('%d ms is "%s"', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test('no duration has sixty seconds, sixty minutes or 24 hours in its smaller unit', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e10, noNaN: true }), (ms) => {
      expect(formatDuration(ms)).not.toMatch(/\b(60(\.0)? s|60 min|24 h|1000 ms)$/);
    }),
  );
});

test('what runs lasts until now, what has not begun lasts not at all', () => {
  const started = '2026-11-15T10:00:00.500000+00:00';
  const now = Date.parse('2026-11-15T10:00:02Z');
  expect(durationOf({ started, finished: null }, now)).toBe(1500);
  expect(durationOf({ started, finished: '2026-11-15T10:00:01.500000+00:00' }, now)).toBe(1000);
  expect(durationOf({ started: null, finished: null }, now)).toBeUndefined();
});

test('a clock that is behind the server makes nothing negative', () => {
  expect(durationOf({ started: '2026-11-15T10:00:00Z', finished: null }, 0)).toBe(0);
});

test.each([
  [{ interval: 60 }, 'every 1 min'],
  [{ interval: 30 }, 'every 30 s'],
  [{ crontab: '30 6 * * 1-5', timezone: 'Europe/Paris' }, '30 6 * * 1-5 (Europe/Paris)'],
  [{ crontab: '@daily' }, '@daily (UTC)'],
  [{ schedule: 5400 }, 'every 1 h 30 min'],
])('the schedule %j reads "%s"', (periodic, text) => {
  expect(describeSchedule(periodic)).toBe(text);
});
