import { expect, test } from 'vitest';
import { describeProgress, formatSpan } from './import-progress.ts';
import { withRetries } from './retry.ts';

const state = { doneBytes: 25_000_000, totalBytes: 100_000_000, lines: 200_000, seconds: 10 };

test.each([
  [120, '[########----------------------] 25 %  200,000 lines  20,000 lines/s  0:30 left  25.0 MB of 100.0 MB'],
  [60, '25 %  200,000 lines  20,000 lines/s  0:30 left'],
  [30, '25 %  200,000 lines'],
])('progress fits into %d columns', (width, text) => {
  expect(describeProgress(state, width)).toContain(text);
  expect(describeProgress(state, width).length).toBeLessThanOrEqual(width);
});

test('without a total there is neither a bar nor a time left', () => {
  expect(describeProgress({ ...state, totalBytes: undefined }, 80)).toBe('25.0 MB  200,000 lines  20,000 lines/s');
});

test('spans', () => expect([0, 59.5, 3725].map(formatSpan)).toEqual(['0:00', '1:00', '1:02:05']));

test('pauses grow, the other side may ask for longer ones, and the last failure is thrown', async () => {
  const waits: number[] = [];
  const failing = withRetries(() => Promise.reject(new Error('no')), {
    retries: 3,
    isTemporary: () => true,
    atLeastMs: () => 800,
    onRetry: (_error, waitMs) => waits.push(waitMs),
    wait: async () => {},
  });
  await expect(failing).rejects.toThrow('no');
  expect(waits).toEqual([800, 1000, 2000]);
});
