import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { adminToken, createTestClock, startTestApp, type TestApp, unique } from '../../test/harness/app.ts';

let app: TestApp;
let teamId: string;
const clock = createTestClock(Date.parse('2026-11-15T12:00:00Z'));
beforeAll(async () => {
  app = await startTestApp({ clock });
  teamId = (await app.createTeam()).id;
});

const send = (method: string, path: string, body?: unknown, team = teamId) =>
  app.request(method, `/v1/teams/${team}${path}`, { token: adminToken, body });
const arrange = (method: string, path: string, body?: unknown, team = teamId) =>
  app.arrange(method, `/v1/teams/${team}${path}`, body);
const newSource = (model = 'push', config: object = {}, more: object = {}) =>
  arrange('POST', '/sources', { name: unique(model), model, config, ...more });
const prometheus = { url: 'https://prometheus.example.com', password: 'secret-password' };

describe('sources', () => {
  test('are integrations for measurements, with variables, and hide their passwords', async () => {
    const source = await newSource('prometheus', prometheus, { variables: { region: 'eu' } });
    expect(source).toMatchObject({
      model: 'prometheus',
      config: { url: prometheus.url, password: '**********', concurrency: 8, timeout_seconds: 20 },
      variables: { region: 'eu' },
    });
    const webhook = await arrange('POST', '/integrations', {
      name: unique('hook'),
      model: 'webhook',
      config: { url: 'https://example.com/' },
    });
    const { sources } = await arrange('GET', '/sources');
    expect(sources.map(({ id }: { id: string }) => id)).toContain(source.id);
    expect(sources.map(({ id }: { id: string }) => id)).not.toContain(webhook.id);
    expect((await send('GET', `/sources/${webhook.id}`)).status).toBe(404);
    expect((await send('DELETE', `/sources/${webhook.id}`)).status).toBe(404);
    expect((await send('POST', '/sources', { name: 'x', model: 'webhook' })).status).toBe(400);
    expect((await send('POST', '/sources', { name: 'x', model: 'no such\u0000' })).status).toBe(400);
  });

  test('keep what a change leaves out', async () => {
    const source = await newSource('prometheus', prometheus, { variables: { region: 'eu' } });
    const renamed = await arrange('PUT', `/sources/${source.id}`, { name: unique('other') });
    expect(renamed).toMatchObject({ config: source.config, variables: { region: 'eu' } });
    const changed = await arrange('PUT', `/sources/${source.id}`, { variables: {} });
    expect(changed).toMatchObject({ name: renamed.name, config: source.config, variables: {} });
  });

  test('of the model push need no configuration, and their test says so', async () => {
    const { id, config } = await newSource();
    expect(config).toEqual({});
    expect((await arrange('POST', `/integrations/${id}/test`)).ok).toBe(true);
  });

  test('that checks use are deleted neither here nor as integrations', async () => {
    const { id } = await newSource();
    const check = await arrange('POST', '/checks', { name: unique('check'), source: id, threshold: 1 });
    for (const path of ['sources', 'integrations']) {
      const { status, body } = await send('DELETE', `/${path}/${id}`);
      expect([status, body.message]).toEqual([409, expect.stringContaining(`"${check.name}"`)]);
    }
    await arrange('DELETE', `/checks/${check.id}`);
    expect((await send('DELETE', `/sources/${id}`)).status).toBe(200);
    expect((await send('GET', `/sources/${id}`)).status).toBe(404);
  });
});

describe('checks', () => {
  test.each([
    [5, 5],
    ['5:', '5:'],
    [':5', 5],
    [' -1.5 : 1e3 ', '-1.5:1000'],
    [0, 0],
  ])('the threshold %j is told as %j', async (threshold, told) => {
    const { id } = await newSource();
    const check = await arrange('POST', '/checks', { name: unique('check'), source: id, threshold });
    expect(check).toMatchObject({ source: id, threshold: told, fill: true, query: '', rules: [], variables: {} });
    expect(await arrange('GET', `/checks/${check.id}`)).toEqual(check);
    // What was told can be sent back.
    expect(await arrange('PUT', `/checks/${check.id}`, { threshold: told })).toMatchObject({ threshold: told });
  });

  test.each([
    [{ threshold: ':' }, 'threshold'],
    [{ threshold: '9:1' }, 'threshold'],
    [{ threshold: 'low:high' }, 'threshold'],
    [{ threshold: '1e999:' }, 'threshold'],
    [{ threshold: null }, 'threshold'],
    [{ name: '' }, 'name'],
    [{ source: 'nobody' }, 'source'],
    [{ source: randomUUID() }, 'source'],
    [{ source: '\u0000' }, 'source'],
    [{ query: '' }, 'query'],
    [{ query: 'up{{ nme }}' }, 'query'],
    [{ query: 'up{{ name' }, 'query'],
    [{ query: '{{ team.none }}' }, 'query'],
    [{ query: "{{ depc.source['none'] }}" }, 'query'],
    [{ query: '{{ check.toString }}' }, 'query'],
    [{ variables: { 'a b': 'x' } }, 'variables.a b'],
    [{ variables: { a: 7 } }, 'variables.a'],
  ])('%j is refused and named', async (wrong, path) => {
    const { name } = await newSource('prometheus', prometheus);
    const good = { name: unique('check'), source: name, query: 'up', threshold: 1 };
    const { status, body } = await send('POST', '/checks', { ...good, ...wrong });
    expect(status).toBe(400);
    expect(body.details[0].path).toBe(path);
    expect((await send('POST', '/checks', good)).status).toBe(201);
    expect((await send('POST', '/checks', good)).status).toBe(409);
  });

  test('of pushed measurements have no query', async () => {
    const { id } = await newSource();
    const answer = await send('POST', '/checks', { name: 'x', source: id, query: 'up', threshold: 1 });
    expect(answer.body.details).toEqual([{ path: 'query', message: expect.stringContaining('left out') }]);
  });

  test('find the variables of the team, the source, the rule and their own, which then cannot be taken away', async () => {
    const team = (await app.createTeam()).id;
    const source = await arrange(
      'POST',
      '/sources',
      { name: 'main', model: 'prometheus', config: prometheus, variables: { s: '1' } },
      team,
    );
    await arrange('PUT', '/qos/settings', { variables: { t: '1' } }, team);
    const query = '{{ team.t }}{{ source.s }}{{ rule.r }}{{ check.c }}{{ name }}';
    const check = await arrange(
      'POST',
      '/checks',
      { name: 'all', source: 'main', query, threshold: 1, variables: { c: '1' } },
      team,
    );
    const bare = await arrange('POST', '/rules', { name: 'bare' }, team);
    const refused = await send('PUT', `/rules/${bare.id}/checks`, { checks: ['all'] }, team);
    expect(refused.body.details).toEqual([{ path: 'checks', message: 'the check "all" needs rule.r' }]);
    const rule = await arrange('POST', '/rules', { name: 'full', variables: { r: '1' } }, team);
    await arrange('PUT', `/rules/${rule.id}/checks`, { checks: [check.id] }, team);
    for (const path of ['/qos/settings', `/sources/${source.id}`, `/rules/${rule.id}`, `/checks/${check.id}`]) {
      expect((await send('PUT', path, { variables: {} }, team)).status, path).toBe(400);
    }
    expect(
      (await send('PUT', `/checks/${check.id}`, { query: '{{ rule.other }}', variables: {} }, team)).body.message,
    ).toContain('rule.other');
  });
});

describe('rules', () => {
  test('tell their checks, and these their rules', async () => {
    const source = await newSource();
    const names = [unique('b'), unique('a')];
    const checks = await Promise.all(
      names.map((name) => arrange('POST', '/checks', { name, source: source.id, threshold: 1 })),
    );
    const rule = await arrange('POST', '/rules', { name: unique('rule'), description: 'two\nlines' });
    expect(rule.checks).toEqual([]);
    // By id or by name, and twice is once.
    const wanted = [checks[0].id.toUpperCase(), names[1], checks[0].id];
    const full = await arrange('PUT', `/rules/${rule.id}/checks`, { checks: wanted });
    expect(full.checks.map(({ name }: { name: string }) => name)).toEqual(names.toSorted());
    expect((await arrange('GET', `/checks/${checks[0].id}`)).rules).toEqual([{ id: rule.id, name: rule.name }]);
    const wrong = await send('PUT', `/rules/${rule.id}/checks`, { checks: [names[0], randomUUID(), '\u0000\ud800'] });
    expect(wrong.body.details.map(({ path }: { path: string }) => path)).toEqual(['checks.1', 'checks.2']);
    expect(await arrange('GET', `/rules/${rule.id}`)).toEqual(full);
    await arrange('DELETE', `/checks/${checks[0].id}`);
    expect((await arrange('GET', `/rules/${rule.id}`)).checks).toEqual([{ id: checks[1].id, name: names[1] }]);
  });

  test('that the current configuration uses are kept, with their names and checks', async () => {
    const team = (await app.createTeam()).id;
    await arrange('POST', '/sources', { name: 'push', model: 'push' }, team);
    const check = await arrange('POST', '/checks', { name: 'alive', source: 'push', threshold: '1:' }, team);
    const rule = await arrange('POST', '/rules', { name: 'Up time' }, team);
    await arrange('PUT', `/rules/${rule.id}/checks`, { checks: ['alive'] }, team);
    await arrange('POST', '/configs', { Server: { qos: "rule.'Up time'" } }, team);
    const deleted = await send('DELETE', `/rules/${rule.id}`, undefined, team);
    expect([deleted.status, deleted.body.message]).toEqual([409, expect.stringContaining('"Up time" for Server')]);
    expect((await send('PUT', `/rules/${rule.id}`, { name: 'Other' }, team)).status).toBe(409);
    expect((await send('PUT', `/rules/${rule.id}`, { description: 'x' }, team)).status).toBe(200);
    const gone = await send('DELETE', `/checks/${check.id}`, undefined, team);
    expect([gone.status, gone.body.message]).toEqual([409, expect.stringContaining('"Up time" (Server)')]);
    await arrange('POST', '/configs', {}, team);
    expect((await send('DELETE', `/rules/${rule.id}`, undefined, team)).status).toBe(200);
    expect((await send('DELETE', `/checks/${check.id}`, undefined, team)).status).toBe(200);
  });

  test('have names that a query can write', async () => {
    expect((await send('POST', '/rules', { name: "it's" })).status).toBe(400);
    const { name } = await arrange('POST', '/rules', { name: unique('twice') });
    expect((await send('POST', '/rules', { name })).status).toBe(409);
  });
});

describe('settings', () => {
  test('begin empty, and keep what a change leaves out', async () => {
    const team = (await app.createTeam()).id;
    expect(await arrange('GET', '/qos/settings', undefined, team)).toEqual({ variables: {}, counts_whole_day: false });
    await arrange('PUT', '/qos/settings', { counts_whole_day: true }, team);
    const both = await arrange('PUT', '/qos/settings', { variables: { a: 'b' } }, team);
    expect(both).toEqual({ variables: { a: 'b' }, counts_whole_day: true });
    expect(await arrange('GET', '/qos/settings', undefined, team)).toEqual(both);
  });
});

describe('objectives', () => {
  test('tell their budget from the figures of labels up to yesterday', async () => {
    const team = (await app.createTeam()).id;
    const written = await arrange('PUT', '/qos/objectives/Web', { target: 99 }, team);
    expect(written).toMatchObject({
      label: 'Web',
      window_days: 30,
      budget: { from: '2026-10-16', to: '2026-11-14', known_days: 0, value: null, met: null, left_percent: null },
    });
    await app.database.pool.query(
      `insert into qos_label_figures (team_id, day, label, query, value, coverage, nodes, unknown_nodes, run_id, computed_at)
       select $1, day::date, 'Web', 'rule.R', value, 100, 1, 0, $2, now()
         from (values ('2026-11-15', 0.0), ('2026-11-14', 97.0), ('2026-11-13', 100.0), ('2026-11-12', null), ('2026-10-15', 0.0)) v (day, value)`,
      [team, randomUUID()],
    );
    const { objectives } = await arrange('GET', '/qos/objectives', undefined, team);
    expect(objectives[0].budget).toMatchObject({
      known_days: 2,
      value: 98.5,
      met: false,
      allowed_minutes: 432,
      spent_minutes: 43.2,
      left_percent: 90,
      burn_rate: { last_day: 3, last_week: 1.5, window: 1.5 },
    });
    expect((await send('DELETE', '/qos/objectives/Web', undefined, team)).status).toBe(200);
    expect((await send('DELETE', '/qos/objectives/Web', undefined, team)).status).toBe(404);
  });

  test.each([
    ['Web', { target: 101 }],
    ['Web', { target: -1 }],
    ['Web', { target: 99, window_days: 0 }],
    ['web', { target: 99 }],
    ['%00', { target: 99 }],
  ])('%s cannot have %j', async (label, body) => {
    expect((await send('PUT', `/qos/objectives/${label}`, body)).status).toBe(400);
  });
});

test('another team has its own, and sees nothing of ours', async () => {
  const source = await newSource();
  const check = await arrange('POST', '/checks', { name: unique('check'), source: source.id, threshold: 1 });
  const rule = await arrange('POST', '/rules', { name: unique('rule') });
  const other = (await app.createTeam()).id;
  for (const path of [`/sources/${source.id}`, `/checks/${check.id}`, `/rules/${rule.id}`]) {
    expect((await send('GET', path, undefined, other)).status).toBe(404);
    expect((await send('PUT', path, {}, other)).status).toBe(404);
    expect((await send('DELETE', path, undefined, other)).status).toBe(404);
    expect((await send('GET', `${path.slice(0, -36)}x`, undefined, other)).status).toBe(404);
  }
  const theirs = await arrange('POST', '/rules', { name: rule.name }, other);
  expect((await send('PUT', `/rules/${theirs.id}/checks`, { checks: [check.id] }, other)).status).toBe(400);
  expect((await send('POST', '/checks', { name: 'x', source: source.id, threshold: 1 }, other)).status).toBe(400);
});

test('a team with all of it can be deleted, and every change is in the audit log', async () => {
  const team = (await app.createTeam()).id;
  const source = await arrange('POST', '/sources', { name: 's', model: 'push', variables: { a: '1' } }, team);
  await arrange('POST', '/checks', { name: 'c', source: source.id, threshold: 1 }, team);
  const rule = await arrange('POST', '/rules', { name: 'r' }, team);
  await arrange('PUT', `/rules/${rule.id}/checks`, { checks: ['c'] }, team);
  await arrange('PUT', '/qos/objectives/Web', { target: 99 }, team);
  await arrange('PUT', '/qos/settings', { counts_whole_day: true }, team);
  const { rows } = await app.database.pool.query<{ action: string }>(
    "select action from audit_log where team_id = $1 and action not like 'team.%' order by id",
    [team],
  );
  expect(rows.map(({ action }) => action)).toEqual([
    'integration.create',
    'source.variables',
    'check.create',
    'rule.create',
    'rule.set_checks',
    'objective.write',
    'qos.settings',
  ]);
  await app.arrange('DELETE', `/v1/teams/${team}`);
  const left = await app.database.pool.query('select 1 from qos_checks where team_id = $1', [team]);
  expect(left.rows).toEqual([]);
});
