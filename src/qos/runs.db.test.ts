import { beforeAll, describe, expect, test } from 'vitest';
import { createTestClock, startTestApp, type TestApp } from '../../test/harness/app.ts';
import { depends } from '../../test/harness/graph.ts';
import { changes, newQosTeam, type QosTeam } from '../../test/harness/qos.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ clock: createTestClock(Date.parse('2026-10-03T12:00:00Z')) });
});

const day = '2026-10-01';
const start = Date.parse(`${day}T00:00:00Z`) / 1000;
const range = `&start=${day}&end=${day}`;

/**
 *   Shop:s ─▶ Web:w ─▶ Api:a ─▶ Disk:d1     d1 is down for one minute at 10:00
 *                         └───▶ Disk:d2     always up
 */
async function shop(): Promise<QosTeam> {
  const team = await newQosTeam(app);
  await team.add(
    depends('Api:a', 'Disk:d1'),
    depends('Api:a', 'Disk:d2'),
    depends('Web:w', 'Api:a'),
    depends('Shop:s', 'Web:w'),
  );
  await team.configure({
    Shop: 'aggregation.AVERAGE[Web]',
    Web: 'operation.OR[Api]',
    Api: 'operation.AND[Disk]',
    Disk: 'rule.Up',
  });
  await team.measure(day, { 'Disk:d1': changes([36_000, 36_060]), 'Disk:d2': changes() });
  return team;
}

test('a day is computed from the checks up through every label', async () => {
  const team = await shop();
  const [run] = await team.compute({ day });
  expect(run.day).toBe(day);
  for (const [label, name] of [
    ['Disk', 'd1'],
    ['Api', 'a'],
    ['Web', 'w'],
    ['Shop', 's'],
  ]) {
    expect(await team.history(label, name, range), label).toEqual({ [day]: 99.931 });
  }
  expect(await team.history('Disk', 'd2', range)).toEqual({ [day]: 100 });
  expect(await team.history('Disk', undefined, range)).toEqual({ [day]: 99.966 });
  const detail = await team.read(`/qos/runs/${run.id}`);
  expect(detail).toMatchObject({ state: 'success', dry_run: false, progress: { chunks: 4, done: 4, nodes: 5 } });
  expect(await team.read('/qos/worst?label=Disk')).toEqual({
    label: 'Disk',
    day,
    data: [
      { name: 'd1', value: 99.931, coverage: 100 },
      { name: 'd2', value: 100, coverage: 100 },
    ],
  });
  const { labels } = await team.read(`/statistics?start=${day}&end=${day}`);
  expect(labels.find(({ label }: { label: string }) => label === 'Disk')).toEqual({
    label: 'Disk',
    nodes_count: 2,
    qos_query: 'rule.Up',
    days: 1,
    average: 99.966,
    minimum: 99.966,
    maximum: 99.966,
    latest: { day, value: 99.966, nodes: 2, unknown_nodes: 0 },
  });
});

test('an explanation leads to the check and the seconds', async () => {
  const team = await shop();
  await team.compute({ day });
  const { node } = await team.read(`/qos/explain?label=Shop&name=s&day=${day}`);
  const lost = { value: 99.931, cost_seconds: 60, spans: [[start + 36_000, start + 36_060]] };
  const [web] = node.dependencies;
  expect(node).toMatchObject({ label: 'Shop', name: 's', value: 99.931, cost_seconds: 60, spans: [] });
  expect(web).toMatchObject({ label: 'Web', name: 'w', ...lost });
  const [api] = web.dependencies;
  expect(api).toMatchObject({ label: 'Api', query: 'operation.AND[Disk]', ...lost, dependencies_left_out: 0 });
  expect(api.dependencies).toHaveLength(1);
  const [disk] = api.dependencies;
  expect(disk).toMatchObject({ label: 'Disk', name: 'd1', ...lost });
  expect(disk.checks).toMatchObject([{ check: 'ping', ...lost, points: 4, failure: null, spans_left_out: 0 }]);
});

test('a day that is computed again is replaced, and what has left the graph is gone', async () => {
  const team = await shop();
  await team.compute({ day });
  await team.measure(day, { 'Disk:d2': [[50_000, 0]] });
  await team.remove('Disk:d1', 'detach');
  await team.compute({ day });
  expect(await team.history('Disk', 'd2', range)).toEqual({ [day]: 57.871 });
  expect(await team.history('Shop', 's', range)).toEqual({ [day]: 57.871 });
  const counts = await app.database.pool.query(
    `select (select count(*)::int from qos_figures where team_id = $1) as figures,
       (select count(*)::int from qos_check_figures where team_id = $1) as checks,
       (select count(*)::int from qos_label_figures where team_id = $1) as labels`,
    [team.teamId],
  );
  expect(counts.rows).toEqual([{ figures: 4, checks: 1, labels: 4 }]);
});

test('an earlier run that ends late does not replace what a later one found', async () => {
  const team = await shop();
  const [early] = await team.compute({ day });
  await team.measure(day, { 'Disk:d2': [[50_000, 0]] });
  await team.compute({ day });
  await app.arrange('POST', `/api/workflows/${early.workflow}/relaunch`);
  await expect
    .poll(async () => (await team.read(`/qos/runs/${early.id}`)).workflow, { timeout: 20_000 })
    .not.toBe(early.workflow);
  await expect.poll(async () => (await team.read(`/qos/runs/${early.id}`)).state, { timeout: 20_000 }).toBe('success');
  const { rows } = await app.database.pool.query(
    'select count(*)::int as early from qos_figures where team_id = $1 and run_id = $2',
    [team.teamId, early.id],
  );
  expect(rows).toEqual([{ early: 0 }]);
});

test('only the labels that are asked for are computed, and what they need', async () => {
  const team = await shop();
  await team.compute({ day, labels: ['Api'] });
  expect(await team.history('Api', 'a', range)).toEqual({ [day]: 99.931 });
  expect(await team.history('Disk', 'd1', range)).toEqual({ [day]: 99.931 });
  expect(await team.history('Web', 'w', range)).toEqual({});
});

test('a range is a run for each day; days without points are unknown, not good', async () => {
  const team = await shop();
  const runs = await team.compute({ start: '2026-09-30', end: '2026-10-02' });
  expect(runs.map((run) => run.day)).toEqual(['2026-09-30', day, '2026-10-02']);
  const days = '&start=2026-09-01&end=2026-10-30';
  expect(await team.history('Shop', 's', days)).toEqual({ '2026-09-30': null, [day]: 99.931, '2026-10-02': null });
  const { node } = await team.read('/qos/explain?label=Api&name=a&day=2026-09-30');
  expect(node).toMatchObject({ value: null, coverage: 0, cost_seconds: 0 });
  expect(node.dependencies.map(({ name, value }: { name: string; value: null }) => [name, value])).toEqual([
    ['d1', null],
    ['d2', null],
  ]);
  const { text, headers } = await team.ask('GET', '/qos', { query: `label=Disk${days}&format=csv` });
  expect(headers['content-type']).toBe('text/csv; charset=utf-8');
  expect(text).toBe(
    'day,value,coverage,nodes,unknown_nodes\r\n2026-09-30,,0,2,2\r\n2026-10-01,99.966,100,2,0\r\n2026-10-02,,0,2,2\r\n',
  );
});

test('a trial shows what would change, and changes nothing', async () => {
  const team = await shop();
  await team.compute({ day });
  const config = { Api: { qos: 'operation.OR[Disk]' }, Disk: { qos: 'rule.Up' } };
  const [trial] = await team.compute({ day, config, dry_run: true });
  const { changes: found, dry_run: isTrial } = await team.read(`/qos/runs/${trial.id}`);
  expect(isTrial).toBe(true);
  expect(found).toEqual({
    labels: [
      { label: 'Api', before: 99.931, after: 100, nodes_changed: 1 },
      { label: 'Disk', before: 99.966, after: 99.966, nodes_changed: 0 },
    ],
    nodes: [{ label: 'Api', name: 'a', before: 99.931, after: 100 }],
  });
  expect(await team.history('Api', 'a', range)).toEqual({ [day]: 99.931 });
});

test.each([
  [{}, /day, or start and end/],
  [{ day: '2026-02-30' }, /such as/],
  [{ day: '2999-01-01' }, /has not begun/],
  [{ start: '2026-01-01', end: '2026-12-31' }, /92/],
  [{ start: '2026-01-02', end: '2026-01-01' }, /must not come after/],
  [{ day, labels: ['Nowhere'] }, /no query for the label Nowhere/],
  [{ day, config: { Disk: { qos: 'rule.Up' } } }, /dry_run/],
  [{ day, config: { Disk: { qos: 'rule.' } }, dry_run: true }, /cannot be used/],
])('%j is refused', async (body, message) => {
  const team = await shop();
  const answer = await team.ask('POST', '/qos/compute', { body });
  expect(answer.status).toBe(400);
  expect(answer.text).toMatch(message);
});

test('the workflows of the service are found by name, and listed only when asked for', async () => {
  const names = async (query: string): Promise<string[]> =>
    (await app.arrange('GET', `/api/definitions${query}`)).map(({ fullname }: { fullname: string }) => fullname);
  expect(await names('')).toEqual([]);
  expect(await names('?builtin')).toEqual(['faultline.QOS', 'faultline.QOS_NIGHTLY']);
});

test('the nightly workflow computes yesterday for every team that can be computed', async () => {
  const [team, broken] = [await shop(), await shop()];
  await app.database.pool.query('delete from qos_rules where team_id = $1', [broken.teamId]);
  const yesterday = '2026-10-02';
  await team.measure(yesterday, { 'Disk:d1': changes([0, 8640]), 'Disk:d2': changes() });
  const { id } = await app.arrange('POST', '/api/definitions/faultline.QOS_NIGHTLY/run');
  const status = async () => (await app.arrange('GET', `/api/workflows/${id}`)).status;
  await expect.poll(status, { timeout: 50_000, interval: 200 }).toBe('success');
  expect(await team.history('Disk', 'd1')).toEqual({ [yesterday]: 90 });
  const { runs } = await broken.read('/qos/runs');
  expect(runs).toMatchObject([{ day: yesterday, state: 'error' }]);
  const { tasks } = await app.arrange('GET', `/api/workflows/${runs[0].workflow}`);
  expect(JSON.stringify(tasks)).toContain('There is no rule Up any more');
});

test('a dependency counts while its relationship is active, or all day where the team says so', async () => {
  const team = await newQosTeam(app);
  // d2 is down from 06:00 to 18:00 and counts until noon: 6 of 24 hours are lost, or 12.
  await team.add(depends('Api:a', 'Disk:d1'), depends('Api:a', 'Disk:d2', { from: start, to: start + 43_199 }));
  await team.configure({ Api: 'operation.AND[Disk]', Disk: 'rule.Up' });
  await team.measure(day, { 'Disk:d1': changes(), 'Disk:d2': changes([21_600, 64_800]) });
  await team.compute({ day });
  expect(await team.history('Api', 'a', range)).toEqual({ [day]: 75 });
  const { node } = await team.read(`/qos/explain?label=Api&name=a&day=${day}`);
  expect(node.dependencies).toMatchObject([
    {
      name: 'd2',
      value: 49.999,
      counted_seconds: 43_200,
      cost_seconds: 21_600,
      spans: [[start + 21_600, start + 43_200]],
    },
  ]);
  await app.arrange('PUT', `/v1/teams/${team.teamId}/qos/settings`, { counts_whole_day: true });
  await team.compute({ day });
  expect(await team.history('Api', 'a', range)).toEqual({ [day]: 49.999 });
});

test('a source that fails makes unknown, says why, and does not stop the run', async () => {
  const team = await newQosTeam(app);
  const base = `/v1/teams/${team.teamId}`;
  await app.arrange('POST', `${base}/sources`, {
    name: 'away',
    model: 'prometheus',
    config: { url: 'http://127.0.0.1:1' },
  });
  await app.arrange('POST', `${base}/checks`, { name: 'load', source: 'away', query: 'up', threshold: 1 });
  const { rules } = await team.read('/rules');
  await app.arrange('PUT', `${base}/rules/${rules[0].id}/checks`, { checks: ['ping', 'load'] });
  await team.add(depends('Api:a', 'Disk:d1'));
  await team.configure({ Api: 'operation.AND[Disk]', Disk: 'rule.Up' });
  await team.measure(day, { 'Disk:d1': changes([0, 8640]) });
  await team.compute({ day });
  const { data } = await team.read(`/qos?label=Disk&name=d1${range}`);
  expect(data).toEqual([{ day, value: 90, coverage: 50 }]);
  const { node } = await team.read(`/qos/explain?label=Disk&name=d1&day=${day}`);
  const load = node.checks.find(({ check }: { check: string }) => check === 'load');
  expect(load).toMatchObject({ value: null, coverage: 0, points: 0, failure: expect.stringMatching(/./) });
});

describe('odd questions about figures are refused in a sentence, and never a 5xx', () => {
  const odd = [
    '',
    '%00',
    '2026-02-30',
    '0000-01-01',
    '9999-12-31',
    '1970-01-01',
    '8999-12-31',
    '-1',
    'x',
    "'",
    '9'.repeat(30),
    '%F0%9F%92%A9',
    '1e3',
    'Disk',
  ];
  test.each(['/qos', '/qos/worst', '/qos/explain', '/qos/runs', '/statistics'])('%s', async (path) => {
    const team = await shop();
    for (const parameter of ['label', 'name', 'day', 'start', 'end', 'format', 'limit', 'depth']) {
      for (const value of odd) {
        const usual = parameter === 'label' ? '' : 'label=Disk&';
        const { status, text } = await team.ask('GET', path, { query: `${usual}${parameter}=${value}` });
        expect([200, 400, 404], `${path} ${parameter}=${value}: ${text}`).toContain(status);
      }
    }
  });
});
