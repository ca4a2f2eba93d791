import { expect, test } from 'vitest';
import { countStatuses, hasEnded, labelOf, shownStatus } from './status.ts';
import { aTask } from './testing.ts';

test('an approval that is in progress waits for somebody', () => {
  expect(shownStatus(aTask('OK', { run: 'approval', status: 'progress' }))).toBe('asks');
  expect(shownStatus(aTask('OK', { run: 'approval', status: 'success' }))).toBe('success');
});

test('a skipped task is no success', () => {
  expect(labelOf(shownStatus(aTask('A', { status: 'success', is_skipped: true })))).toBe('Skipped');
});

test('elements are counted by what is shown of them', () => {
  const tasks = [aTask('A', { status: 'success' }), aTask('B', { status: 'success' }), aTask('C', { status: 'error' })];
  expect([...countStatuses(tasks)]).toEqual([
    ['success', 2],
    ['error', 1],
  ]);
});

test('pending and progress are not the end', () => {
  expect((['pending', 'progress', 'success', 'error', 'canceled'] as const).map(hasEnded)).toEqual([
    false,
    false,
    true,
    true,
    true,
  ]);
});
