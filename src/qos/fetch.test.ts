import { expect, test } from 'vitest';
import type { MetricSourceRow } from '../platform/integrations/metric-sources.service.ts';
import { SourceFailure } from '../platform/integrations/sources/metric-source.ts';
import { createFetchService } from './fetch.service.ts';
import type { CheckToFetch } from './fetch.store.ts';
import { createSourceCalls } from './source-calls.ts';

const source = (id: string, protocol: string, config = {}): MetricSourceRow => ({
  id,
  protocol,
  config,
  team_id: 't',
  name: id,
  model: protocol,
  secrets: {},
  created_at: new Date(0),
  updated_at: new Date(0),
  created_by: 'somebody',
});
const check = (id: string, source_id: string, query = ''): CheckToFetch => ({
  id,
  name: id,
  source_id,
  source_variables: {},
  query,
  low: 1,
  high: null,
  is_filled: true,
  variables: {},
});
const ruleOf = (...checks: CheckToFetch[]) => ({ id: 'r', name: 'r', variables: {}, team_variables: {}, checks });

/** Sources that answer every query with one series whose only value is how many were asked before. */
function newFetch(options: { openSource?: () => Promise<never>; concurrency?: number } = {}) {
  const seen = { queries: [] as string[], statements: [] as unknown[], most: 0 };
  let running = 0;
  const fetch = createFetchService({
    store: { findRule: async () => undefined },
    measurements: {
      listPoints: async (...call) => {
        seen.statements.push(call);
        return [
          { check_id: 'p2', name: 'b', points: [[5, 1]] },
          { check_id: 'p1', name: 'a', points: [[6, 0]] },
        ];
      },
    },
    metricSources: {
      list: async () => [
        source('asked', 'prometheus', options.concurrency ? { concurrency: options.concurrency } : {}),
        source('warp', 'warp10'),
        source('pushed', 'push'),
      ],
    },
    integrations: {
      openSource:
        options.openSource ??
        (async () => ({
          test: async () => '',
          query: async (text) => {
            seen.most = Math.max(seen.most, ++running);
            await new Promise((resolve) => setImmediate(resolve));
            running--;
            if (text.includes('broken')) throw new SourceFailure('no such thing.', { isPermanent: true });
            return { series: [{ labels: {}, points: [[0, seen.queries.push(text)]] }] };
          },
        })),
    },
    calls: createSourceCalls({ clock: () => 0, random: () => 0, pause: async () => undefined }),
  });
  return { fetch, seen };
}
const range = (...names: string[]) => ({ label: 'Web', names, start: 0, end: 86_399 });

test('each check answers for each node, in their order; pushed ones with one statement', async () => {
  const { fetch, seen } = newFetch();
  const rule = ruleOf(check('p1', 'pushed'), check('q', 'asked', 'up{{ label }}"{{ name }}"'), check('p2', 'pushed'));
  const found = await fetch.fetchChecks('t', rule, range('a', 'b'));
  const series = (points: number[][]) => ({ series: [{ labels: {}, points }], query: null });
  expect(found[0]).toEqual([series([[6, 0]]), { series: [], query: null }]);
  expect(found[1]).toMatchObject([{ query: 'upWeb"a"' }, { query: 'upWeb"b"' }]);
  expect(found[2]).toEqual([{ series: [], query: null }, series([[5, 1]])]);
  expect(seen.statements).toEqual([['t', ['p1', 'p2'], 'Web', ['a', 'b'], 0, 86_399]]);
});

test('a query that does not depend on the node is asked once', async () => {
  const { fetch, seen } = newFetch();
  const names = Array.from({ length: 50 }, (_, n) => `n${n}`);
  const [found] = await fetch.fetchChecks('t', ruleOf(check('q', 'asked', 'up')), range(...names));
  expect(found).toHaveLength(50);
  expect(seen.queries).toEqual(['up']);
});

test('checks of one source share its turns', async () => {
  const { fetch, seen } = newFetch({ concurrency: 3 });
  const rule = ruleOf(check('q', 'asked', 'x"{{ name }}"'), check('r', 'asked', 'y"{{ name }}"'));
  await fetch.fetchChecks('t', rule, range('a', 'b', 'c', 'd', 'e', 'f'));
  expect([seen.queries.length, seen.most]).toEqual([12, 3]);
});

test('what fails is the failure of that node and check alone', async () => {
  const { fetch } = newFetch();
  const rule = ruleOf(
    check('q', 'asked', 'up{{ name }}'),
    check('w', 'warp', "'{{ name }}'"),
    check('x', 'nowhere', 'up'),
  );
  const found = await fetch.fetchChecks('t', rule, range('broken', 'a b', 'c'));
  expect(found[0]).toMatchObject([
    { failure: 'no such thing.', query: 'upbroken' },
    { failure: expect.stringContaining('between quotes'), query: null },
    { query: 'upc', series: [{}] },
  ]);
  expect(found[1].map(({ query }) => query)).toEqual(["'broken'", "'a%20b'", "'c'"]);
  expect(found[2]).toMatchObject([{ failure: expect.stringContaining('no longer there') }, {}, {}]);
});

test('a database that is away is no answer about the source', async () => {
  const { fetch } = newFetch({ openSource: () => Promise.reject(new Error('Connection terminated')) });
  await expect(fetch.fetchChecks('t', ruleOf(check('q', 'asked', 'up')), range('a'))).rejects.toThrow('terminated');
});

test('an abort rejects with its reason', async () => {
  const { fetch } = newFetch();
  const signal = AbortSignal.abort(new Error('stopped'));
  await expect(fetch.fetchChecks('t', ruleOf(check('q', 'asked', 'up')), range('a'), { signal })).rejects.toThrow(
    'stopped',
  );
});
