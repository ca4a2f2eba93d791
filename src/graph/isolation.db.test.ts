import { copyFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { adminToken, startTestApp, type TestApp } from '../../test/harness/app.ts';
import { newTestDirectory } from '../../test/harness/database.ts';
import { at, createGraphClient, depends, type GraphClient, newGraph } from '../../test/harness/graph.ts';
import { rawRequest } from '../../test/harness/raw-request.ts';

let app: TestApp;
let ours: GraphClient;
let theirs: GraphClient;
let token: string;
beforeAll(async () => {
  app = await startTestApp();
  [ours, theirs] = [await newGraph(app), await newGraph(app)];
  const user = await app.createUser();
  await app.grant(ours.teamId, user.name, 'manager');
  token = (await app.createToken(user.id)).token;
  await theirs.add(depends('Secret:s', 'Web:a', { from: 7 }), { source: at('Web:b') });
});

test('every graph route of another team is refused, and tells nothing of what is there', async () => {
  await theirs.addRules('R');
  const config = await app.arrange('POST', `/v1/teams/${theirs.teamId}/configs`, { Web: { qos: 'rule.R' } });
  const before = await theirs.export();
  const outsider = createGraphClient(app, theirs.teamId, token);
  const routes = app.server.routes.filter(
    ({ method, url }) => method !== 'HEAD' && /^\/v1\/teams\/:team_id\/(labels|graph|configs)/.test(url),
  );
  expect(routes.length).toBeGreaterThanOrEqual(16);
  for (const { method, url } of routes) {
    const path = (node: string) =>
      url.replace('/v1/teams/:team_id', '').replace(':label', 'Web').replace(':node', node).replace(':id', config.id);
    const body = method === 'GET' || url.includes('/nodes/') ? {} : { body: [] };
    const there = await outsider.ask(method, path('a'), body);
    const notThere = await outsider.ask(method, path('nobody'), body);
    expect(there.status, `${method} ${url}`).toBe(403);
    expect(there.body).toEqual(notThere.body);
  }
  expect(await theirs.export()).toBe(before);
});

test('crafted labels, names and addresses lead to no other team', async () => {
  await ours.add({ source: at('Web:mine') });
  const address = await app.listen();
  const { teamId } = theirs;
  const crafted = [
    `../../../${teamId}/labels/Web/nodes/a`,
    `..%2f..%2f..%2f${teamId}%2flabels%2fWeb%2fnodes%2fa`,
    `%2e%2e/%2e%2e/%2e%2e/${teamId}/labels/Web/nodes/a`,
    `a%00${teamId}`,
    `' or team_id='${teamId}`.replaceAll(' ', '%20'),
    `a'%20union%20select%20name%20from%20nodes--`,
    `${teamId}/Web/a`,
    'a',
    's',
  ];
  for (const label of [
    'Web',
    'Secret',
    `..%2f${teamId}`,
    '..',
    `%2e%2e/%2e%2e/${teamId}/labels/Web`,
    "Web'--",
    `Web%00`,
  ])
    for (const name of crafted)
      for (const end of ['', '/impacted/all']) {
        const path = `/v1/teams/${ours.teamId}/labels/${label}/nodes/${name}${end}`;
        const answer = await rawRequest(address, { path, token });
        expect([400, 404], `${path}: ${answer.text}`).toContain(answer.status);
        expect(answer.text).not.toContain('"s"');
      }
  for (const path of [
    `/labels/..%2f..%2f${teamId}%2flabels/nodes`,
    `/../${teamId}/labels`,
    `/graph/export?label=Secret&name=s`,
    `/../${teamId}/graph/export`,
  ]) {
    const answer = await rawRequest(address, { path: `/v1/teams/${ours.teamId}${path}`, token });
    expect(answer.text).not.toMatch(/"s"|Secret/);
    expect(answer.status === 200 ? answer.text : '[]').toBe('[]');
    expect([200, 400, 404]).toContain(answer.status);
  }
});

test("another team's id in a message is only a name", async () => {
  const result = await ours.add({
    source: { ...at('Web:x'), team_id: theirs.teamId, id: 0 },
    team_id: theirs.teamId,
    target: at(`Db:${theirs.teamId}`),
  });
  expect(result).toMatchObject({ accepted: 1 });
  expect(await theirs.names('Db')).toEqual([]);
});

test('the same label and name in two teams stay apart', async () => {
  const [first, second] = [await newGraph(app), await newGraph(app)];
  await first.add(depends('Web:a', 'Db:b', { from: 1 }));
  await second.add({ source: at('Web:a', { from: 2 }) }, { source: at('Db:b') });
  expect(await first.impactedCount('Db:b')).toBe(1);
  expect(await second.impactedCount('Db:b')).toBe(0);
  await second.takeBack(depends('Web:a', 'Db:b', { from: 1 }));
  expect(await second.remove('Db:b')).toBe(200);
  expect(await first.periods('Web:a', 'Db:b')).toEqual([1]);
  expect(await first.node('Web:a', 'alone')).toEqual({ name: 'a' });
});

test("one team's snapshot is never used for another", async () => {
  const dataDir = await newTestDirectory();
  const config = { dataDir };
  const before = await startTestApp({ config });
  const [first, second] = [await newGraph(before), await newGraph(before)];
  await first.add(depends('Web:a', 'Secret:s'));
  await second.add({ source: at('Web:own') });
  await before.close();
  const directory = join(dataDir, 'graphs');
  expect((await readdir(directory)).filter((file) => file.endsWith('.graph')).toSorted()).toEqual(
    [`${first.teamId}.graph`, `${second.teamId}.graph`].toSorted(),
  );
  await copyFile(join(directory, `${first.teamId}.graph`), join(directory, `${second.teamId}.graph`));
  const after = await startTestApp({ config, database: before.database });
  const again = createGraphClient(after, second.teamId, adminToken);
  expect(await again.labels()).toEqual([{ name: 'Web', nodes_count: 1, qos_query: null }]);
  expect(await again.names('Web')).toEqual(['own']);
  expect(await createGraphClient(after, first.teamId).names('Secret')).toEqual(['s']);
});
