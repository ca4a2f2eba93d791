import { expect, test } from 'vitest';
import { SourceFailure } from '../platform/integrations/sources/metric-source.ts';
import { createSourceCalls } from './source-calls.ts';

function newCalls() {
  const world = { now: 0, pauses: [] as number[] };
  const calls = createSourceCalls({
    clock: () => world.now,
    random: () => 0.5,
    pause: async (ms) => void world.pauses.push(ms),
  });
  return { world, calls };
}
const failing = (message = 'away', isPermanent = false) => Promise.reject(new SourceFailure(message, { isPermanent }));

test('no more run at once than the source allows, whoever asks, and all get their turn', async () => {
  const { calls } = newCalls();
  let [running, most, done] = [0, 0, 0];
  const work = async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    return ++done;
  };
  await Promise.all(Array.from({ length: 20 }, () => calls.call('a', { limit: 3, tries: 1 }, work)));
  expect([most, done]).toEqual([3, 20]);
});

test('what may pass is tried again after longer and longer pauses', async () => {
  const { calls, world } = newCalls();
  let asked = 0;
  const answer = calls.call('a', { limit: 1, tries: 3 }, () => (++asked < 3 ? failing() : Promise.resolve('well')));
  expect(await answer).toBe('well');
  expect(world.pauses).toEqual([500, 1000]);
  asked = 0;
  await expect(calls.call('a', { limit: 1, tries: 3 }, () => failing(`away ${++asked}`))).rejects.toThrow('away 3');
});

test('what would fail again is asked once', async () => {
  const { calls } = newCalls();
  let asked = 0;
  const ask = () => failing(`wrong ${++asked}`, true);
  await expect(calls.call('a', { limit: 1, tries: 3 }, ask)).rejects.toThrow('wrong 1');
  expect(asked).toBe(1);
});

test('a source that keeps failing is left alone for a while, others are not', async () => {
  const { calls, world } = newCalls();
  let asked = 0;
  const ask = (key: string) => calls.call(key, { limit: 1, tries: 1 }, () => failing(`away ${++asked}`)).catch(String);
  for (let n = 0; n < 20; n++) await ask('a');
  expect(asked).toBe(5);
  expect(await ask('a')).toContain('is not asked again');
  expect(await ask('b')).toContain('away 6');
  world.now += 15_000;
  expect(await ask('a')).toContain('away 7');
  expect(await ask('a')).toContain('is not asked again');
  world.now += 15_000;
  expect(await calls.call('a', { limit: 1, tries: 1 }, async () => 'back')).toBe('back');
  expect(await ask('a')).toContain('away 8');
});

test('an abort ends the tries and those who wait', async () => {
  const { calls } = newCalls();
  const controller = new AbortController();
  let asked = 0;
  const ask = () =>
    calls.call('a', { limit: 1, tries: 3, signal: controller.signal }, async () => {
      asked++;
      controller.abort(new Error('stopped'));
      return failing();
    });
  const outcomes = await Promise.allSettled([ask(), ask(), ask()]);
  expect(outcomes.map((one) => one.status === 'rejected' && String(one.reason))).toEqual(
    Array(3).fill('Error: stopped'),
  );
  expect(asked).toBe(1);
});
