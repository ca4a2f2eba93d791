import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/harness/app.ts';
import { at, type GraphClient, newGraph } from '../../test/harness/graph.ts';

let app: TestApp;
let graph: GraphClient;
beforeAll(async () => {
  app = await startTestApp();
  graph = await newGraph(app);
  await graph.add({ source: at('Web:w') }, { source: at('Db:d') });
  await graph.addRules('R');
});
const post = (client: GraphClient, body: unknown) => client.ask('POST', '/configs', { body });

test('each version is kept, the newest is current, and an older one can be applied again', async () => {
  const own = await newGraph(app);
  expect((await own.ask('GET', '/configs/current')).status).toBe(404);
  expect((await own.ask('GET', '/configs')).body).toEqual({ configs: [] });
  await own.addRules('One', 'Two');
  const first = (await post(own, { Web: { qos: 'rule.One' } })).body;
  expect(first).toMatchObject({ number: 1, current: true, config: { Web: { qos: 'rule.One' } }, created_by: 'admin' });
  const second = await post(own, { Web: { qos: 'rule.Two' } });
  expect(second.status).toBe(201);
  expect((await own.ask('GET', '/configs/current')).body).toEqual(second.body);
  expect((await own.ask('GET', `/configs/${first.id}`)).body).toEqual({ ...first, current: false });
  const applied = await own.ask('PUT', `/configs/${first.id.toUpperCase()}/apply`);
  expect(applied.body).toEqual(first);
  const { configs } = (await own.ask('GET', '/configs')).body;
  expect(configs.map((config: { number: number; current: boolean }) => [config.number, config.current])).toEqual([
    [2, false],
    [1, true],
  ]);
  expect((await own.labels())[0].qos_query).toBe('rule.One');
});

test('versions made at the same moment get numbers of their own', async () => {
  const own = await newGraph(app);
  await own.addRules('R');
  const answers = await Promise.all(Array.from({ length: 8 }, () => post(own, { Web: { qos: 'rule.R' } })));
  expect(answers.map(({ body }) => body.number).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  const { configs } = (await own.ask('GET', '/configs')).body;
  expect(configs.filter((config: { current: boolean }) => config.current)).toHaveLength(1);
});

describe('what cannot be used is refused with its place, and changes nothing', () => {
  test.each([
    [{ Web: { qos: 'rule.' } }, 'Web.qos', /^line 1, column 6: /],
    [{ Web: { qos: '' } }, 'Web.qos', /^line 1, column 1: /],
    [{ Web: { qos: 'operation.AND[Db,\n  db]' } }, 'Web.qos', /^line 2, column 3: /],
    [{ Web: { qos: 'operation.AND[Db, Nowhere]' } }, 'Web.qos', /^line 1, column 19: the label Nowhere is neither/],
    [{ Web: { qos: 'aggregation.MIN[Web]' } }, 'Web.qos', /Web → Web is circular/],
    [{ Web: { qos: 'operation.OR[Db]' }, Db: { qos: 'operation.OR[Web]' } }, 'Web.qos', /Web → Db → Web is circular/],
    [
      { Web: { qos: 'operation.AND[Db]' }, Db: { qos: 'aggregation.MAX[Web2]' }, Web2: { qos: 'rule.R' } },
      'Web.qos',
      /Db is an aggregation/,
    ],
    [{ Web: { qos: "rule.'No such'" } }, 'Web.qos', /^line 1, column 6: there is no rule "No such"/],
    [{ web: { qos: 'rule.R' } }, 'web', /must be a label/],
    [{ Web: {} }, 'Web.qos', /./],
    [{ Web: { qos: 7 } }, 'Web.qos', /./],
    [{ Web: 'rule.R' }, 'Web', /./],
    [{ Web: { qos: `rule.${'x'.repeat(10_001)}` } }, 'Web.qos', /./],
    [[], '', /./],
    ['x', '', /./],
  ])('%j', async (config, path, message) => {
    const before = (await graph.ask('GET', '/configs')).body;
    const answer = await post(graph, config);
    expect(answer.status, answer.text).toBe(400);
    expect(answer.body.details[0]).toMatchObject({ path, message: expect.stringMatching(message) });
    expect((await graph.ask('GET', '/configs')).body).toEqual(before);
  });

  test('all faults are told at once', async () => {
    const { body } = await post(graph, { A: { qos: 'rule' }, B: { qos: 'operation.AND[Gone]' }, C: { qos: 'rule.R' } });
    expect(body.details.map((detail: { path: string }) => detail.path)).toEqual(['A.qos', 'B.qos']);
  });

  test('an older version whose label has left the graph', async () => {
    const own = await newGraph(app);
    await own.add({ source: at('Db:d') });
    const { body } = await post(own, { Web: { qos: 'operation.AND[Db]' } });
    await own.remove('Db:d');
    expect((await own.ask('PUT', `/configs/${body.id}/apply`)).status).toBe(400);
  });

  test('a thousand labels in a row are walked, a thousand and one are too many', async () => {
    const chain = (count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, n) => [
          `L${n}`,
          { qos: n + 1 < count ? `operation.AND[L${n + 1}]` : 'rule.R' },
        ]),
      );
    expect((await post(graph, chain(1000))).status).toBe(201);
    expect((await post(graph, chain(1001))).status).toBe(400);
  });
});

test('an id of nobody, of another team, or none at all is 404', async () => {
  const other = await newGraph(app);
  await other.addRules('R');
  const { body } = await post(other, { Web: { qos: 'rule.R' } });
  for (const id of [body.id, randomUUID(), 'x', '%00', 'current2', `${body.id}'`]) {
    expect((await graph.ask('GET', `/configs/${id}`)).status).toBe(404);
    expect((await graph.ask('PUT', `/configs/${id}/apply`)).status).toBe(404);
  }
  expect((await graph.ask('PUT', '/configs/current/apply')).status).toBe(404);
});
