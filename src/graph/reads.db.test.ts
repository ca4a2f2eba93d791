import { beforeAll, describe, expect, test } from 'vitest';
import { createTestClock, startTestApp, type TestApp } from '../../test/harness/app.ts';
import { at, depends, type GraphClient, newGraph } from '../../test/harness/graph.ts';

/** The eight routes of §4.2, line by line of the contract. */
const day = 86_400;
const noon = Date.UTC(2026, 10, 15, 12) / 1000;
const today = noon - (noon % day);
const yesterday = today - day;

let app: TestApp;
const clock = createTestClock(noon * 1000);
beforeAll(async () => {
  app = await startTestApp({ clock });
});

describe('labels', () => {
  test('those of the graph and those of the configuration, by name, with what each has', async () => {
    const graph = await newGraph(app);
    expect(await graph.labels()).toEqual([]);
    await graph.add({ source: at('Web:a') }, { source: at('Web:b') }, { source: at('Db:a') });
    await graph.addRules('Hits');
    await app.arrange('POST', `/v1/teams/${graph.teamId}/configs`, {
      Web: { qos: 'operation.AND[Cache, Db]' },
      Cache: { qos: 'rule.Hits' },
    });
    expect(await graph.labels()).toEqual([
      { name: 'Cache', nodes_count: 0, qos_query: 'rule.Hits' },
      { name: 'Db', nodes_count: 1, qos_query: null },
      { name: 'Web', nodes_count: 2, qos_query: 'operation.AND[Cache, Db]' },
    ]);
  });

  test('a label whose last node went is gone', async () => {
    const graph = await newGraph(app);
    await graph.add({ source: at('Web:a') });
    await graph.remove('Web:a');
    expect(await graph.labels()).toEqual([]);
  });
});

describe('nodes', () => {
  let graph: GraphClient;
  const names = ['B', 'Z', 'a', 'ab', 'b', 'é', '\uffee', '😀'];
  beforeAll(async () => {
    graph = await newGraph(app);
    await graph.add(...names.toReversed().map((name) => ({ source: at(`Web:${name}`) })), { source: at('Db:ab') });
  });

  test('all of them by name, in the order of code points', async () => {
    expect(await graph.names('Web')).toEqual(names);
  });

  test.each([
    ['name=a', ['a', 'ab']],
    ['name=b', ['ab', 'b']],
    ['name=B', ['B']],
    ['name=%C3%A9', ['é']],
    ['name=%F0%9F%98%80', ['😀']],
    ['name=', names],
    ['name=abc', []],
    ['name=a&limit=1', ['a']],
    ['limit=0', []],
    ['limit=3', ['B', 'Z', 'a']],
    ['limit=9007199254740993', names],
    ['random=false&limit=2', ['B', 'Z']],
  ])('?%s', async (query, expected) => {
    expect(await graph.names('Web', query)).toEqual(expected);
  });

  test('random draws without replacement, and not always the same', async () => {
    expect((await graph.names('Web', 'random')).toSorted()).toEqual(names.toSorted());
    const draws = new Set<string>();
    for (let i = 0; i < 40; i++) {
      const drawn = await graph.names('Web', 'random&limit=3');
      expect(new Set(drawn).size).toBe(3);
      expect(names).toEqual(expect.arrayContaining(drawn));
      draws.add(drawn.join());
    }
    expect(draws.size).toBeGreaterThan(1);
    expect((await graph.names('Web', 'random&name=b')).toSorted()).toEqual(['ab', 'b']);
  });

  test('a label that nobody has is an empty list', async () => {
    for (const label of ['Nobody', 'web', 'a%2Fb', '%00']) expect(await graph.names(label)).toEqual([]);
  });

  test.each(['limit=-1', 'limit=1.5', 'limit=', 'random=maybe', 'limit=1&limit=2', 'name=%00'])(
    '?%s is 400',
    async (query) => {
      const answer = await graph.ask('GET', '/labels/Web/nodes', { query });
      expect(answer.status).toBe(400);
      expect(answer.body.message).toContain(`"${query.split('=')[0]}"`);
    },
  );
});

describe('node', () => {
  let graph: GraphClient;
  beforeAll(async () => {
    graph = await newGraph(app);
    await graph.add(
      { source: at('Web:a', { from: 5, to: yesterday + 7 }) },
      depends('Web:a', 'Web:b'),
      depends('Web:a', 'Db:open', { from: yesterday }),
      depends('Web:a', 'Db:ended', { from: 1, to: today - 1 }),
      depends('Web:a', 'Db:endsToday', { from: 1, to: today }),
      depends('Web:a', 'Db:beginsToday', { from: today + day - 1 }),
      depends('Web:a', 'Db:tomorrow', { from: today + day }),
      { source: at('Web:a'), target: at('Zone:gone', { to: today - 1 }) },
      { source: at('Web:a'), target: at('Zone:stays', { from: 0 }) },
      // Both active today, never at the same second.
      { source: at('Web:a'), target: at('Zone:missed', { from: today + 100 }), rel: { from: 1, to: today + 99 } },
      depends('Top:x', 'Web:a', { from: 3 }),
      depends('Top:old', 'Web:a', { from: 3, to: 4 }),
      depends('Web:c', 'Web:a'),
    );
  });

  test('has its direct dependencies of today: itself first, times of its own on top', async () => {
    const answer = await graph.node('Web:a');
    expect(answer).toMatchObject({ name: 'a', from: 5, to: yesterday + 7 });
    expect(Object.keys(answer.dependencies ?? {})).toEqual(['Web', 'Db', 'Zone']);
    expect(answer.dependencies).toEqual({
      Web: [{ name: 'a' }, { name: 'b', old: false, periods: [] }],
      Db: [
        { name: 'beginsToday', old: false, periods: [today + day - 1] },
        { name: 'endsToday', old: false, periods: [1, today] },
        { name: 'open', old: false, periods: [yesterday] },
      ],
      Zone: [{ name: 'stays', old: false, periods: [] }],
    });
  });

  test('with inactive, the others too, as old', async () => {
    const { dependencies } = await graph.node('Web:a', 'inactive');
    const old = Object.entries(dependencies ?? {}).flatMap(([label, entries]) =>
      entries.filter((entry) => entry.old).map((entry) => `${label}:${entry.name}`),
    );
    expect(old).toEqual(['Db:ended', 'Db:tomorrow', 'Zone:gone', 'Zone:missed']);
    expect(dependencies?.Db?.find(({ name }) => name === 'ended')).toEqual({
      name: 'ended',
      old: true,
      periods: [1, today - 1],
    });
  });

  test('on another day, what was active then, in UTC', async () => {
    const on = async (text: string) => {
      const { dependencies = {} } = await graph.node('Web:a', `day=${text}`);
      return Object.entries(dependencies).flatMap(([label, entries]) => entries.map(({ name }) => `${label}:${name}`));
    };
    expect(await on('2026-11-14')).toEqual([
      'Web:a',
      'Web:b',
      'Db:ended',
      'Db:endsToday',
      'Db:open',
      'Zone:gone',
      'Zone:stays',
    ]);
    expect(await on('2026-11-16')).toEqual([
      'Web:a',
      'Web:b',
      'Db:beginsToday',
      'Db:open',
      'Db:tomorrow',
      'Zone:stays',
    ]);
    expect(await on('1970-01-01')).toEqual(['Web:a', 'Web:b', 'Db:ended', 'Db:endsToday', 'Zone:gone', 'Zone:stays']);
    expect(await on('9999-12-31')).toContain('Db:open');
  });

  test('"always" holds before 1970 too', async () => {
    const { dependencies } = await graph.node('Web:a', 'day=1969-12-31');
    expect(dependencies).toEqual({
      Web: [{ name: 'a' }, { name: 'b', old: false, periods: [] }],
      Zone: [{ name: 'gone', old: false, periods: [] }],
    });
  });

  test.each(['2026-02-29', '2026-13-01', '2026-1-1', 'today', '20261115', '2026-11-15T00:00:00Z', '', '+002026-11-15'])(
    'day=%s is 400',
    async (text) => {
      const answer = await graph.ask('GET', graph.pathOf('Web:a'), { query: `day=${encodeURIComponent(text)}` });
      expect(answer.status).toBe(400);
      expect(answer.body.details).toEqual([{ path: 'day', message: 'must be YYYY-MM-DD' }]);
    },
  );

  test('a leap day is a day', async () => {
    expect((await graph.ask('GET', graph.pathOf('Web:a'), { query: 'day=2024-02-29' })).status).toBe(200);
  });

  test('impacted turns around who is shown, never the arrow', async () => {
    const { dependencies, graph: drawn } = await graph.node('Web:a', 'impacted');
    expect(dependencies).toEqual({
      Web: [{ name: 'a' }, { name: 'c', old: false, periods: [] }],
      Top: [{ name: 'x', old: false, periods: [3] }],
    });
    expect(arrows(drawn)).toEqual(['Top:x → Web:a 3', 'Web:c → Web:a ']);
    expect(arrows((await graph.node('Web:a', 'impacted&inactive')).graph)).toContain('Top:old → Web:a 3,4');
    expect(arrows((await graph.node('Web:a')).graph)).toContain('Web:a → Web:b ');
  });

  test('the drawing has each node once, each relationship shown, under ids that stay', async () => {
    const { graph: drawn } = await graph.node('Web:a', 'inactive');
    expect(drawn?.nodes.map(({ title, label }) => `${title}:${label}`)).toEqual([
      'Web:a',
      'Web:b',
      'Db:beginsToday',
      'Db:ended',
      'Db:endsToday',
      'Db:open',
      'Db:tomorrow',
      'Zone:gone',
      'Zone:missed',
      'Zone:stays',
    ]);
    expect(new Set(drawn?.nodes.map(({ id }) => id)).size).toBe(10);
    expect(new Set(drawn?.relationships.map(({ id }) => id)).size).toBe(9);
    expect((await graph.node('Web:a', 'inactive')).graph).toEqual(drawn);
  });

  test('config keeps the labels that the qos_query of this label names', async () => {
    await app.arrange('POST', `/v1/teams/${graph.teamId}/configs`, { Web: { qos: 'operation.OR[Zone, Top]' } });
    expect((await graph.node('Web:a', 'config')).dependencies).toEqual({
      Web: [{ name: 'a' }],
      Zone: [{ name: 'stays', old: false, periods: [] }],
    });
    expect(Object.keys((await graph.node('Web:a', 'config&impacted')).dependencies ?? {})).toEqual(['Web', 'Top']);
    // A label without a query names none.
    expect((await graph.node('Top:x', 'config')).dependencies).toEqual({ Top: [{ name: 'x' }] });
    expect(Object.keys((await graph.node('Web:a', 'config=no')).dependencies ?? {})).toEqual(['Web', 'Db', 'Zone']);
  });

  test('alone leaves the rest out', async () => {
    expect(await graph.node('Web:a', 'alone')).toEqual({ name: 'a', from: 5, to: yesterday + 7 });
    expect(await graph.node('Web:b', 'alone=1')).toEqual({ name: 'b' });
  });

  test('a node that depends on itself is its own neighbour, drawn once', async () => {
    await graph.add(depends('Loop:l', 'Loop:l', { from: 1 }));
    const { dependencies, graph: drawn } = await graph.node('Loop:l');
    expect(dependencies).toEqual({ Loop: [{ name: 'l' }, { name: 'l', old: false, periods: [1] }] });
    expect(drawn?.nodes).toHaveLength(1);
    expect(arrows(drawn)).toEqual(['Loop:l → Loop:l 1']);
    expect(await graph.impacted('Loop:l')).toEqual([]);
    expect(await graph.count('Loop:l')).toBe(1);
  });

  test('count has the direct dependencies, active or not', async () => {
    expect(await graph.count('Web:a')).toBe(9);
    expect(await graph.count('Web:b')).toBe(0);
    expect(await graph.count('Top:x')).toBe(1);
  });
});

/**
 *   Web:top → Web:mid → Db:root ← Job:j          Web:cycle ⇄ Web:top
 *                 ↖ Job:late (from 100)           Db:root → Web:top (a circle through the root)
 */
describe('impacted', () => {
  let graph: GraphClient;
  beforeAll(async () => {
    graph = await newGraph(app);
    await graph.add(
      depends('Web:mid', 'Db:root', { from: 10, to: 20 }),
      depends('Web:mid', 'Db:root', { from: 30, to: 40 }),
      depends('Web:top', 'Web:mid', { from: 15 }),
      depends('Job:j', 'Db:root'),
      { source: at('Job:j', { from: 35, to: 50 }) },
      depends('Job:late', 'Web:mid', { from: 100 }),
      depends('Web:cycle', 'Web:top'),
      depends('Web:top', 'Web:cycle'),
      depends('Db:root', 'Web:top'),
      depends('Web:mid2', 'Db:root', { to: 20 }),
      depends('Web:top', 'Web:mid2', { from: 36 }),
    );
  });
  const activeAt = async (ts: number) =>
    (await graph.impacted('Db:root', `ts=${ts}`)).filter(({ active }) => active).map(({ name }) => name);

  test('everything that depends on the node, to any depth, once, by name, never itself', async () => {
    expect(await graph.impacted('Db:root', 'ts=37')).toEqual([
      { name: 'cycle', label: 'Web', active: true, from: null, to: null },
      { name: 'j', label: 'Job', active: true, from: 35, to: 50 },
      { name: 'late', label: 'Job', active: false, from: null, to: null },
      { name: 'mid', label: 'Web', active: true, from: null, to: null },
      { name: 'mid2', label: 'Web', active: false, from: null, to: null },
      { name: 'top', label: 'Web', active: true, from: null, to: null },
    ]);
    expect((await graph.impacted('Web:top')).map(({ name }) => name)).toEqual([
      'cycle',
      'j',
      'late',
      'mid',
      'mid2',
      'root',
    ]);
  });

  test('active when one whole chain is, both ends of a period included', async () => {
    expect(await activeAt(9)).toEqual(['mid2']);
    expect(await activeAt(10)).toEqual(['mid', 'mid2']);
    expect(await activeAt(15)).toEqual(['cycle', 'mid', 'mid2', 'top']);
    expect(await activeAt(20)).toEqual(['cycle', 'mid', 'mid2', 'top']);
    // mid2 lost its way down at 20, and top reaches down only through mid, whose period begins at 30.
    expect(await activeAt(21)).toEqual([]);
    expect(await activeAt(29)).toEqual([]);
    expect(await activeAt(30)).toEqual(['cycle', 'mid', 'top']);
    expect(await activeAt(35)).toEqual(['cycle', 'j', 'mid', 'top']);
    expect(await activeAt(40)).toEqual(['cycle', 'j', 'mid', 'top']);
    expect(await activeAt(50)).toEqual(['j']);
    expect(await activeAt(51)).toEqual([]);
    expect(await activeAt(Number.MAX_SAFE_INTEGER)).toEqual([]);
  });

  test('nothing is active below a node that is itself not active', async () => {
    const own = await newGraph(app);
    await own.add({ source: at('Db:d', { from: 10, to: 20 }) }, depends('Web:w', 'Db:d'));
    const active = async (ts: number) => (await own.impacted('Db:d', `ts=${ts}`)).map((entry) => entry.active);
    expect([await active(9), await active(10), await active(20), await active(21)]).toEqual([
      [false],
      [true],
      [true],
      [false],
    ]);
  });

  test('now, unless a time is given', async () => {
    const own = await newGraph(app);
    await own.add(depends('Web:w', 'Db:d', { from: noon, to: noon + 1 }));
    const active = async () => (await own.impacted('Db:d')).map((entry) => entry.active);
    expect(await active()).toEqual([true]);
    clock.advance(2000);
    expect(await active()).toEqual([false]);
    expect(await own.impactedAll('Db:d')).toEqual([]);
    clock.advance(-2000);
    expect(await active()).toEqual([true]);
  });

  test('a label filter leaves only that label, and the key out', async () => {
    expect(await graph.impacted('Db:root', 'impactedLabel=Job&ts=35')).toEqual([
      { name: 'j', active: true, from: 35, to: 50 },
      { name: 'late', active: false, from: null, to: null },
    ]);
    expect(await graph.impacted('Db:root', 'impactedLabel=Nobody')).toEqual([]);
    expect(await graph.impacted('Db:root', 'impactedLabel=')).toEqual([]);
    expect(await graph.impactedCount('Db:root', 'impactedLabel=Nobody')).toBe(0);
  });

  test('all: without paging, inactive ones only when asked for', async () => {
    const names = (entries: { name: string }[]) => entries.map(({ name }) => name);
    expect(names(await graph.impactedAll('Db:root', 'ts=9'))).toEqual(['mid2']);
    expect(await graph.impactedAll('Db:root', 'ts=37&inactive')).toEqual(await graph.impacted('Db:root', 'ts=37'));
    expect(names(await graph.impactedAll('Db:root', 'ts=35&impactedLabel=Job'))).toEqual(['j']);
    expect(await graph.impactedAll('Db:root', 'ts=35&impactedLabel=Job')).toEqual([
      { name: 'j', active: true, from: 35, to: 50 },
    ]);
  });

  test('pages of 25 unless told, and count is what paging gives', async () => {
    const own = await newGraph(app);
    const many = Array.from({ length: 1203 }, (_, n) => `Web:n${String(n).padStart(4, '0')}`);
    await own.add(
      ...many.map((name, n) => depends(name, 'Db:d', n % 2 ? { from: 1, to: 2 } : undefined)),
      depends('Job:j', many[0]),
    );
    expect(await own.impacted('Db:d')).toHaveLength(25);
    for (const filter of ['', '&impactedLabel=Web', '&impactedLabel=Job']) {
      for (const limit of [7, 500, 501, 2000]) {
        const seen: string[] = [];
        for (let skip = 0; ; skip += limit) {
          const page = await own.impacted('Db:d', `skip=${skip}&limit=${limit}${filter}`);
          seen.push(...page.map(({ name }) => name));
          if (page.length < limit) break;
        }
        expect(seen).toEqual(seen.toSorted());
        expect(new Set(seen).size).toBe(seen.length);
        expect(seen).toHaveLength(await own.impactedCount('Db:d', filter));
      }
    }
    expect(await own.impactedCount('Db:d')).toBe(1204);
    expect(await own.impacted('Db:d', 'limit=0')).toEqual([]);
    expect(await own.impacted('Db:d', 'skip=1203&limit=9007199254740999')).toHaveLength(1);
    expect(await own.impacted('Db:d', 'skip=9007199254740999')).toEqual([]);
    expect(await own.impactedAll('Db:d', 'inactive')).toHaveLength(1204);
  });

  test('the same name under two labels is ordered by label', async () => {
    const own = await newGraph(app);
    await own.add(depends('Zone:x', 'Db:d'), depends('App:x', 'Db:d'), depends('Zone:a', 'Db:d'));
    expect((await own.impacted('Db:d')).map(({ label, name }) => `${label}:${name}`)).toEqual([
      'Zone:a',
      'App:x',
      'Zone:x',
    ]);
  });

  test.each(['skip=-1', 'limit=x', 'ts=1.5', 'ts=', 'skip=1&skip=2', 'ts=-1'])('?%s is 400', async (query) => {
    const answer = await graph.ask('GET', `${graph.pathOf('Db:root')}/impacted`, { query });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain(`"${query.split('=')[0]}"`);
  });
});

describe('delete', () => {
  test('409 while there is a relationship in either direction, unless detached', async () => {
    const graph = await newGraph(app);
    await graph.add(depends('Web:a', 'Db:b', { from: 1, to: 2 }), { source: at('Web:free') });
    expect(await graph.remove('Web:a')).toBe(409);
    expect(await graph.remove('Db:b')).toBe(409);
    expect(await graph.remove('Db:b', 'detach=false')).toBe(409);
    expect(await graph.remove('Web:free')).toBe(200);
    expect(await graph.remove('Web:free')).toBe(404);
    expect(await graph.remove('Db:b', 'detach')).toBe(200);
    expect(await graph.count('Web:a')).toBe(0);
    expect(await graph.remove('Web:a')).toBe(200);
    expect(await graph.labels()).toEqual([]);
  });

  test('a deleted node that comes again has neither its relationships nor its times', async () => {
    const graph = await newGraph(app);
    await graph.add({ source: at('Web:a', { from: 1 }) }, depends('Web:a', 'Db:b'), depends('Top:t', 'Web:a'));
    await graph.remove('Web:a', 'detach');
    await graph.add({ source: at('Web:a') });
    expect(await graph.node('Web:a')).toMatchObject({ name: 'a', dependencies: { Web: [{ name: 'a' }] } });
    expect(await graph.node('Web:a', 'alone')).toEqual({ name: 'a' });
    expect(await graph.impacted('Web:a')).toEqual([]);
    expect(await graph.count('Top:t')).toBe(0);
  });

  test('its answer carries the version, and the next read has it', async () => {
    const graph = await newGraph(app);
    const { version } = await graph.add({ source: at('Web:a') });
    const answer = await graph.ask('DELETE', graph.pathOf('Web:a'));
    expect(answer.headers['x-graph-version']).toBe(String(version + 1));
    expect(await graph.names('Web')).toEqual([]);
  });
});

test('an unknown node is 404 on every node route', async () => {
  const graph = await newGraph(app);
  await graph.add({ source: at('Web:a') });
  for (const node of ['Web:b', 'Db:a', 'web:a', 'Web:A', 'Web:a ', 'Web:a/', 'Web:/a', 'Web:\0']) {
    for (const [method, end] of [
      ['GET', ''],
      ['GET', '?alone'],
      ['DELETE', ''],
      ['DELETE', '?detach'],
      ['GET', '/count'],
      ['GET', '/impacted'],
      ['GET', '/impacted?limit=1000'],
      ['GET', '/impacted/all'],
      ['GET', '/impacted/count'],
    ] as const)
      expect((await graph.ask(method, graph.pathOf(node) + end)).status, `${method} ${node}${end}`).toBe(404);
  }
  expect(await graph.names('Web')).toEqual(['a']);
});

type Drawn = {
  nodes: { id: number; label: string; title: string }[];
  relationships: { from: number; to: number; periods: number[] }[];
};

function arrows(drawn: Drawn | undefined): string[] {
  const names = new Map(drawn?.nodes.map(({ id, label, title }) => [id, `${title}:${label}`]));
  return (drawn?.relationships ?? [])
    .map(({ from, to, periods }) => `${names.get(from)} → ${names.get(to)} ${String(periods)}`)
    .toSorted();
}
