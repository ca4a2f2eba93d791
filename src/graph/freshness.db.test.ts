import pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { adminToken, startTestApp, type TestApp } from '../../test/harness/app.ts';
import { isPostgresProject, newTestDatabase, silentLog } from '../../test/harness/database.ts';
import { at, createGraphClient, depends, type GraphClient, newGraph } from '../../test/harness/graph.ts';
import { openDatabase } from '../db/open.ts';

describe('X-Graph-Version', () => {
  let app: TestApp;
  let graph: GraphClient;
  beforeAll(async () => {
    app = await startTestApp();
    graph = await newGraph(app);
    await graph.add(depends('Web:a', 'Db:b'));
  });
  const routes = [
    '/labels',
    '/labels/Web/nodes',
    '/labels/Web/nodes/a',
    '/labels/Web/nodes/a/count',
    '/labels/Db/nodes/b/impacted',
    '/labels/Db/nodes/b/impacted/all',
    '/labels/Db/nodes/b/impacted/count',
    '/graph/export',
    '/graph/export?label=Web&name=a',
  ];

  const ask = async (route: string, version: string) =>
    (await graph.ask('GET', route, { headers: { 'x-graph-version': version } })).status;

  test.each(routes)('%s: what is there is answered, nonsense is 400', async (route) => {
    expect(await ask(route, '1')).toBe(200);
    expect(await ask(route, '0')).toBe(200);
    for (const bad of ['x', '-1', '1.5', '', '1, 2', '9'.repeat(16)]) expect(await ask(route, bad), bad).toBe(400);
  });

  test('what never comes is 503 after a while, on every route', async () => {
    const statuses = await Promise.all(routes.map((route) => ask(route, '1000')));
    expect(statuses).toEqual(routes.map(() => 503));
  });

  test('a version that comes while we wait is waited for', async () => {
    const { version } = await graph.add({ source: at('Web:before') });
    const reading = graph.ask('GET', '/labels/Web/nodes', { headers: { 'x-graph-version': String(version + 1) } });
    await graph.add({ source: at('Web:after') });
    expect((await reading).body).toContain('after');
  });

  test('every answer of the graph says its version', async () => {
    const { version } = await graph.add({ source: at('Web:version') });
    for (const route of routes.filter((one) => one !== '/labels' && !one.startsWith('/graph')))
      expect((await graph.ask('GET', route)).headers['x-graph-version']).toBe(String(version));
  });
});

describe.runIf(isPostgresProject())('two processes on one database', () => {
  let apps: [TestApp, TestApp];
  let url: string;
  beforeAll(async () => {
    const settings = await newTestDatabase();
    url = settings.databaseUrl ?? '';
    const start = async (name: string) => {
      const named = new URL(url);
      named.searchParams.set('application_name', name);
      const database = await openDatabase({ ...settings, databaseUrl: named.href, log: silentLog, poolSize: 5 });
      const app = await startTestApp({ database });
      return app;
    };
    apps = [await start('first'), await start('second')];
  });
  const pair = async (): Promise<[GraphClient, GraphClient]> => {
    const { id } = await apps[0].createTeam();
    return [createGraphClient(apps[0], id), createGraphClient(apps[1], id)];
  };
  const onServer = async <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query<Row>(text, values);
    await client.end();
    return rows;
  };

  test('agree after every write, whichever wrote', async () => {
    const both = await pair();
    let last = 0;
    for (let n = 0; n < 60; n++) {
      const [writer, reader] = n % 3 === 0 ? both : both.toReversed();
      const node = `Web:${n}`;
      const { version } = await writer.add(depends(node, 'Db:d', { from: n }));
      expect(version).toBeGreaterThan(last);
      last = version;
      // Without X-Graph-Version, and at once.
      expect(await reader.impactedCount('Db:d')).toBe(n + 1 - Math.floor(n / 10));
      expect(await reader.node(node, 'inactive')).toEqual(await writer.node(node, 'inactive'));
      expect((await reader.ask('GET', '/labels/Web/nodes')).headers['x-graph-version']).toBe(String(version));
      if (n % 10 !== 9) continue;
      // What one has just made, the other can delete.
      expect(await reader.remove(node, 'detach')).toBe(200);
      last++;
      expect(await writer.names('Web', `name=${n}`)).not.toContain(String(n));
    }
    expect(linesOf(await both[0].export())).toEqual(linesOf(await both[1].export()));
  });

  test('a node that the other has just freed can be deleted without detach, and one it has just tied cannot', async () => {
    const [first, second] = await pair();
    await first.add(depends('Web:a', 'Db:b'));
    expect(await second.count('Web:a')).toBe(1);
    for (let n = 0; n < 10; n++) {
      await first.takeBack(depends('Web:a', 'Db:b'));
      expect(await second.remove('Db:b')).toBe(200);
      await first.add(depends('Web:a', 'Db:b'));
      expect(await second.remove('Db:b')).toBe(409);
    }
  });

  test('write one team at once and converge', async () => {
    const [first, second] = await pair();
    await Promise.all(
      [first, second, first, second].map(async (graph, writer) => {
        let version = 0;
        for (let n = 0; n < 15; n++) {
          const result = await graph.add(depends(`Web:${n}`, 'Db:d', { from: 100 - writer }), {
            source: at(`Own:${writer}-${n}`),
          });
          expect(result).toMatchObject({ accepted: 2, rejected: 0 });
          expect(result.version).toBeGreaterThan(version);
          version = result.version;
          expect((await graph.names('Own', `name=${writer}-${n}`)).length).toBeGreaterThan(0);
        }
      }),
    );
    expect(await first.names('Own')).toHaveLength(60);
    expect(await second.names('Own')).toEqual(await first.names('Own'));
    expect(await second.periods('Web:14', 'Db:d')).toEqual([97]);
    // The order of lines is nobody's promise: it depends on what a process has gathered into its base already.
    expect(linesOf(await first.export())).toEqual(linesOf(await second.export()));
  });

  test('one that lost its connections catches up', async () => {
    const [first, second] = await pair();
    await first.add({ source: at('Web:0') });
    expect(await second.names('Web')).toEqual(['0']);
    for (let n = 1; n < 4; n++) {
      const [{ count }] = await onServer<{ count: string }>(
        "select count(pg_terminate_backend(pid)) from pg_stat_activity where application_name = 'second'",
      );
      expect(Number(count)).toBeGreaterThan(0);
      await first.add({ source: at(`Web:${n}`) });
      // The pool may find out about its dead connections by using one.
      for (let tries = 0; tries < 20; tries++) {
        const { status } = await second.ask('GET', '/labels/Web/nodes');
        if (status === 200) break;
        expect(status).toBe(503);
      }
      expect(await second.names('Web')).toHaveLength(n + 1);
    }
  });

  test('one that fell further behind than the log reaches loads anew', async () => {
    const [first, second] = await pair();
    await first.add({ source: at('Web:first') });
    expect(await second.names('Web')).toEqual(['first']);
    // As if it had slept through 600 versions: nothing between is in the log any more.
    await onServer('update graphs set version = 600 where team_id = $1', [first.teamId]);
    await onServer("insert into nodes (team_id, id, label, name) values ($1, 1, 'Web', 'slept')", [first.teamId]);
    await onServer('update graphs set next_node_id = 2 where team_id = $1', [first.teamId]);
    await onServer('delete from graph_changes where team_id = $1', [first.teamId]);
    expect(await second.names('Web')).toEqual(['first', 'slept']);
    expect(await first.names('Web')).toEqual(['first', 'slept']);
    expect(await second.add({ source: at('Web:next') })).toMatchObject({ version: 601 });
    expect(await first.names('Web')).toEqual(['first', 'next', 'slept']);
  });

  test('the log keeps the last 256 versions and not everything', async () => {
    const [first, second] = await pair();
    await second.names('Web');
    for (let n = 0; n < 520; n++) await first.add({ source: at('Web:a', { from: n }) });
    const [{ count }] = await onServer<{ count: string }>('select count(*) from graph_changes where team_id = $1', [
      first.teamId,
    ]);
    expect(Number(count)).toBeGreaterThanOrEqual(256);
    expect(Number(count)).toBeLessThan(520);
    expect(await second.node('Web:a', 'alone')).toEqual({ name: 'a', from: 519 });
  });

  test('a deleted team is gone from both', async () => {
    const [first, second] = await pair();
    await first.add(depends('Web:a', 'Db:b'));
    expect(await second.names('Web')).toEqual(['a']);
    await apps[0].arrange('DELETE', `/v1/teams/${first.teamId}`);
    for (let tries = 0; tries < 100; tries++) {
      if ((await second.ask('GET', '/labels')).status === 404) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect((await second.ask('GET', '/labels/Web/nodes')).status).toBe(404);
    expect((await first.ask('POST', '/graph', { token: adminToken, body: [] })).status).toBe(404);
    expect(await onServer('select 1 from nodes where team_id = $1', [first.teamId])).toEqual([]);
    expect(await onServer('select 1 from relationships where team_id = $1', [first.teamId])).toEqual([]);
    expect(await onServer('select 1 from graph_changes where team_id = $1', [first.teamId])).toEqual([]);
  });
});

const linesOf = (text: string): string[] => text.split('\n').toSorted();
