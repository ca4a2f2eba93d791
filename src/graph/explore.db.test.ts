import { beforeAll, describe, expect, test } from 'vitest';
import { createTestClock, startTestApp, type TestApp } from '../../test/harness/app.ts';
import { at, depends, type GraphClient, newGraph } from '../../test/harness/graph.ts';

const day = 86_400;
const noon = Date.UTC(2026, 10, 15, 12) / 1000;
const yesterdayNoon = noon - day;

let app: TestApp;
let graph: GraphClient;
beforeAll(async () => {
  app = await startTestApp({ clock: createTestClock(noon * 1000) });
  graph = await newGraph(app);
  const servers = Array.from({ length: 30 }, (_, i) => `Server:srv-${String(i).padStart(2, '0')}`);
  await graph.add(
    ...servers.map((server) => depends(server, 'Rack:r1')),
    depends('App:Shop', 'Server:srv-00'),
    depends('App:old shop', 'Rack:r1', { from: yesterdayNoon - day, to: yesterdayNoon }),
    { source: at('App:shopping "cart"/1') },
    { source: at('App:workshop', { from: noon }) },
  );
});

describe('search', () => {
  test.each([
    ['q=shop', ['Shop', 'shopping "cart"/1', 'old shop', 'workshop']],
    ['q=SHOPP', ['shopping "cart"/1']],
    ['q=%22/2', []],
    ['q=T%22/1', ['shopping "cart"/1']],
    ['q=shop&limit=1', ['Shop']],
    ['q=nothing', []],
  ])('?%s', async (query, names) => {
    const found = await graph.search(query);
    expect(found.nodes.map(({ name }) => name)).toEqual(names);
    expect(found.more).toBe(query.includes('limit=1'));
  });

  test('twenty unless told, at most fifty', async () => {
    expect(await graph.search('q=srv')).toMatchObject({ nodes: { length: 20 }, more: true });
    expect(await graph.search('q=srv&limit=50')).toMatchObject({ nodes: { length: 30 }, more: false });
    const refused = await graph.ask('GET', '/graph/search', { query: 'q=srv&limit=51' });
    expect(refused).toMatchObject({
      status: 400,
      body: { details: [{ path: 'limit', message: 'must be at most 50' }] },
    });
    expect((await graph.ask('GET', '/graph/search')).status).toBe(400);
  });
});

describe('neighbours', () => {
  test('those of each label are counted, and come in pages by label and name', async () => {
    const first = await graph.neighbours('Rack:r1', 'direction=impacted&limit=2&skip=1');
    expect(first.groups).toEqual([{ label: 'Server', count: 30 }]);
    const plain = { from: null, to: null, periods: [], old: false };
    expect(first.nodes).toEqual([
      { label: 'Server', name: 'srv-01', ...plain },
      { label: 'Server', name: 'srv-02', ...plain },
    ]);
    const second = await graph.neighbours('Rack:r1', 'direction=impacted&inactive&neighbour_label=App');
    expect(second.groups).toEqual([
      { label: 'App', count: 1 },
      { label: 'Server', count: 30 },
    ]);
    const periods = [yesterdayNoon - day, yesterdayNoon];
    expect(second.nodes).toEqual([{ label: 'App', name: 'old shop', from: null, to: null, periods, old: true }]);
    expect((await graph.neighbours('Server:srv-00')).groups).toEqual([{ label: 'Rack', count: 1 }]);
  });

  test('on a chosen day', async () => {
    const { groups } = await graph.neighbours('Rack:r1', 'direction=impacted&day=2026-11-14');
    expect(groups.map(({ label }) => label)).toEqual(['App', 'Server']);
    const refused = await graph.ask('GET', '/graph/neighbours', { query: 'label=Rack&name=r1&day=today' });
    expect(refused.status).toBe(400);
  });

  test('an unknown node is not found', async () => {
    expect((await graph.ask('GET', '/graph/neighbours', { query: 'label=Rack&name=r2' })).status).toBe(404);
    expect((await graph.ask('GET', '/graph/impact', { query: 'label=Rack&name=r2' })).status).toBe(404);
  });
});

test('impact is totalled by label, with what of it is active at a time', async () => {
  expect(await graph.impactTotals('Rack:r1')).toEqual({
    count: 32,
    active: 31,
    groups: [
      { label: 'App', count: 2, active: 1 },
      { label: 'Server', count: 30, active: 30 },
    ],
  });
  expect(await graph.impactTotals('Rack:r1', `ts=${yesterdayNoon}`)).toMatchObject({ count: 32, active: 32 });
});

test('a page of what is impacted can leave out what is not active', async () => {
  expect(await graph.impacted('Rack:r1', 'impactedLabel=App&inactive=false')).toMatchObject([{ name: 'Shop' }]);
  expect(await graph.impacted('Rack:r1', 'impactedLabel=App')).toMatchObject([{ name: 'Shop' }, { name: 'old shop' }]);
});

describe('the overview', () => {
  test('has everything where it fits', async () => {
    const overview = await graph.overview();
    expect(overview).toMatchObject({
      nodes_count: 35,
      relationships_count: 32,
      labels: ['App', 'Rack', 'Server'],
      nodes: { name: { length: 35 }, label: { length: 35 } },
      relationships: { length: 64 },
    });
  });

  test('has the most connected nodes where it does not, and says how many there are', async () => {
    const overview = await graph.overview('limit=2');
    expect(overview.nodes.name.toSorted()).toEqual(['r1', 'srv-00']);
    expect(overview).toMatchObject({ nodes_count: 35, relationships_count: 1, relationships: { length: 2 } });
  });

  test('of a team without a graph is empty', async () => {
    const empty = await newGraph(app);
    expect(await empty.overview()).toMatchObject({ nodes_count: 0, labels: [], relationships: [] });
    expect(await empty.search('q=a')).toEqual({ nodes: [], more: false });
  });
});
