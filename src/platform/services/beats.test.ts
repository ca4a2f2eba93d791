import { expect, test } from 'vitest';
import { systemActor } from '../../identity/access.ts';
import { foldBeats } from './beats.ts';
import { processLines } from './process-lines.ts';
import type { ServiceFields } from './services.store.ts';

const row = (ownerId: string, name: string, fields: ServiceFields = {}) => ({
  id: `${ownerId} ${name}`,
  type: 't',
  name,
  ownerId,
  isAdmin: false,
  actor: systemActor,
  fields,
});

test('beats of one user for one service become one, whose later word counts; users who claim the same one take turns', () => {
  const rounds = foldBeats([
    row('ann', 'a', { url: 'first', version: '1' }),
    row('bob', 'a'),
    undefined,
    row('ann', 'b'),
    row('ann', 'a', { url: 'second', version: undefined, region: '' }),
  ]);
  expect(rounds.map((round) => round.map(({ row, beats }) => [row.id, beats, row.fields]))).toEqual([
    [
      ['ann a', [0, 4], { url: 'second', version: '1', region: '' }],
      ['ann b', [3], {}],
    ],
    [['bob a', [1], {}]],
  ]);
});

test('a process is worried about a database that does not answer, a queue beyond counting and a slow event loop', () => {
  const calm = {
    version: '1',
    database: { name: 'PostgreSQL 15', answerMs: 0.4 },
    readModel: { graphs: 2, bytes: 5 * 1024 * 1024, waiting: 0 },
    queues: [{ queue: 'celery', ready: 3, isMore: false }],
    eventLoopDelayMs: 1,
    memoryBytes: 100 * 1024 * 1024,
    uptimeSeconds: 61.5,
  };
  const worries = (figures: typeof calm | Parameters<typeof processLines>[0]) =>
    processLines(figures).flatMap(({ status, component }) => (status === 'OK' ? [] : `${status} ${component}`));
  expect(worries(calm)).toEqual([]);
  expect(
    worries({
      ...calm,
      database: { name: 'PostgreSQL 15', answerMs: undefined },
      queues: [{ queue: 'celery', ready: 10_000, isMore: true }],
      eventLoopDelayMs: 1500,
    }),
  ).toEqual(['AL database', 'WARN queue celery', 'AL event loop delay p99']);
  const queues = Array.from({ length: 1000 }, (_, i) => ({ queue: `q${i}`, ready: i, isMore: false }));
  expect(processLines({ ...calm, queues }).length).toBeLessThanOrEqual(100);
});
