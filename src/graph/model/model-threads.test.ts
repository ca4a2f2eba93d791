import { afterEach, expect, it } from 'vitest';
import { createModelThreads, type ModelThreads } from './model-threads.ts';
import { emptyBase, TEAM_ID } from './testing/team-model.ts';

let threads: ModelThreads | undefined;
afterEach(() => threads?.close());

it('a thread that dies fails its questions with a clear error and is replaced', { timeout: 60_000 }, async () => {
  const warnings: string[] = [];
  threads = createModelThreads({
    threads: 1,
    log: { warn: (_, message) => warnings.push(message) },
    introduce: (post) => post({ type: 'base', teamId: TEAM_ID, base: emptyBase(), payloads: [] }),
    onBroken() {},
    worker: new URL('./testing/dying-worker.ts', import.meta.url),
  });
  threads.broadcast({ type: 'base', teamId: TEAM_ID, base: emptyBase(), payloads: [] });
  expect(await threads.query(TEAM_ID, { kind: 'labels' })).toMatchObject({ isFound: true, value: [] });
  const dying = threads.query(TEAM_ID, { kind: 'nodes', label: 'Death' });
  const waiting = threads.query(TEAM_ID, { kind: 'labels' });
  // The label is asked in the same turn: the first may still be answered before the thread is gone.
  const outcomes = await Promise.allSettled([dying, waiting]);
  expect(outcomes.map(({ status }) => status)).toContain('rejected');
  expect(await threads.query(TEAM_ID, { kind: 'labels' })).toMatchObject({ isFound: true });
  expect(warnings).toEqual(['graph thread replaced']);
});
