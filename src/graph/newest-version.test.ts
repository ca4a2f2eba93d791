import { expect, test } from 'vitest';
import { createNewestVersion } from './newest-version.ts';

type Query = { teamIds: string[]; answer: PromiseWithResolvers<Map<string, number>> };

function newestVersions() {
  const queries: Query[] = [];
  const ask = createNewestVersion((teamIds) => {
    const answer = Promise.withResolvers<Map<string, number>>();
    queries.push({ teamIds, answer });
    return answer.promise;
  });
  return { ask, queries };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('who asks first is asked for in the same moment', () => {
  const { ask, queries } = newestVersions();
  void ask('a');
  expect(queries.map(({ teamIds }) => teamIds)).toEqual([['a']]);
});

test('who asks while a query is under way shares the next one, which begins later than the question', async () => {
  const { ask, queries } = newestVersions();
  const first = ask('a');
  const others = [ask('b'), ask('a'), ask('b'), ask('c')];
  await turn();
  expect(queries).toHaveLength(1);
  queries[0].answer.resolve(new Map([['a', 1]]));
  expect(await first).toBe(1);
  await turn();
  expect(queries[1].teamIds).toEqual(['b', 'a', 'c']);
  queries[1].answer.resolve(
    new Map([
      ['a', 2],
      ['b', 7],
    ]),
  );
  expect(await Promise.all(others)).toEqual([7, 2, 7, 0]);
  void ask('a');
  await turn();
  expect(queries).toHaveLength(3);
});

test('one that fails tells those it was for, and nobody else', async () => {
  const { ask, queries } = newestVersions();
  const failing = ask('a');
  const waiting = ask('a');
  queries[0].answer.reject(new Error('gone'));
  await expect(failing).rejects.toThrow('gone');
  await turn();
  queries[1].answer.resolve(new Map([['a', 3]]));
  expect(await waiting).toBe(3);
});
