import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { adminToken, createTestClock, startTestApp, type TestApp, unique } from '../../test/harness/app.ts';
import { startHttpStub } from '../platform/integrations/testing/http-stub.ts';

let app: TestApp;
let teamId: string;
const day = Date.parse('2026-11-14T00:00:00Z') / 1000;
beforeAll(async () => {
  const clock = createTestClock(Date.parse('2026-11-15T12:00:00Z'));
  app = await startTestApp({ clock, config: { outboundAllow: ['127.0.0.1'] } });
  teamId = (await app.createTeam()).id;
});

const arrange = (method: string, path: string, body?: unknown) =>
  app.arrange(method, `/v1/teams/${teamId}${path}`, body);
const execute = (ruleId: string, body: object = {}) =>
  app.request('POST', `/v1/teams/${teamId}/rules/${ruleId}/execute`, {
    token: adminToken,
    body: { label: 'Web', name: 'a', start: day, end: day + 86_399, ...body },
  });

/** A rule over checks; each a source and what the check has. */
async function newRule(...checks: Array<{ source: string; [key: string]: unknown }>) {
  const names = checks.map(() => unique('check'));
  for (const [index, check] of checks.entries()) {
    await arrange('POST', '/checks', { name: names[index], threshold: '1:', ...check });
  }
  const rule = await arrange('POST', '/rules', { name: unique('rule') });
  await arrange('PUT', `/rules/${rule.id}/checks`, { checks: names });
  return { id: rule.id as string, names };
}
const newPush = async () => (await arrange('POST', '/sources', { name: unique('push'), model: 'push' })).id as string;
const newPrometheus = async (url: string, config: object = {}) =>
  (await arrange('POST', '/sources', { name: unique('prometheus'), model: 'prometheus', config: { url, ...config } }))
    .id as string;
const measured = (check: string, points: number[][], name = 'a') =>
  arrange(
    'POST',
    '/measurements',
    points.map(([second, value]) => ({ label: 'Web', name, check, ts: day + second, value })),
  );
const matrix = (...series: Array<Array<[number, string]>>) => ({
  body: {
    status: 'success',
    data: { resultType: 'matrix', result: series.map((values, n) => ({ metric: { n: String(n) }, values })) },
  },
});

describe('pushed measurements', () => {
  test('one minute down in a day is 99.931', async () => {
    const { id, names } = await newRule({ source: await newPush() });
    await measured(names[0], [
      [0, 1],
      [36_000, 0],
      [36_060, 1],
      [86_399, 1],
    ]);
    const { body } = await execute(id);
    expect(body).toMatchObject({
      label: 'Web',
      value: 99.931,
      coverage: 100,
      timeline: [
        { from: day, to: day + 36_000, state: 'true' },
        { from: day + 36_000, to: day + 36_060, state: 'false' },
        { from: day + 36_060, to: day + 86_399, state: 'true' },
      ],
      timeline_cut: false,
    });
    expect(body.checks[0]).toMatchObject({
      name: names[0],
      value: 99.931,
      failure: null,
      query: null,
      series_count: 1,
    });
    expect(body.checks[0].series[0].points).toHaveLength(4);
  });

  test('a rule is good while all its checks are; one without measurements is left out and lowers the coverage', async () => {
    const push = await newPush();
    const { id, names } = await newRule({ source: push }, { source: push }, { source: push });
    await measured(names[0], [
      [0, 1],
      [43_200, 0],
    ]);
    await measured(names[1], [
      [0, 0],
      [21_600, 1],
      [86_399, 1],
    ]);
    const { body } = await execute(id);
    expect(body.value).toBe(25);
    expect(body.coverage).toBeCloseTo((43_200 / 863.99 + 100) / 3, 2);
    expect(body.checks.map(({ value }: { value: number | null }) => value)).toHaveLength(3);
    expect((await execute(id, { name: 'nobody' })).body).toMatchObject({ value: null, coverage: 0 });
  });

  test('of a part of a day only that part counts', async () => {
    const { id, names } = await newRule({ source: await newPush() });
    await measured(names[0], [
      [0, 0],
      [3600, 1],
      [5400, 0],
      [7200, 1],
    ]);
    expect((await execute(id, { start: day + 3600, end: day + 7200 })).body).toMatchObject({
      value: 50,
      coverage: 100,
      timeline: [
        { from: day + 3600, to: day + 5400, state: 'true' },
        { from: day + 5400, to: day + 7200, state: 'false' },
      ],
    });
  });

  test('without filling only what lies between points counts', async () => {
    const { id, names } = await newRule({ source: await newPush(), fill: false });
    await measured(names[0], [
      [100, 1],
      [200, 0],
      [300, 0],
    ]);
    expect((await execute(id)).body.value).toBe(50);
  });
});

describe('a source', () => {
  test('is asked with the query of the node, and all series must be good', async () => {
    const stub = await startHttpStub(() =>
      matrix(
        [
          [day, '1'],
          [day + 43_200, '0'],
        ],
        [[day, '1']],
      ),
    );
    const { id } = await newRule({
      source: await newPrometheus(stub.url),
      query: 'up{host="{{ name }}", label="{{ label }}", job="{{ check.job }}"}[{{ start }}]',
      variables: { job: 'x' },
    });
    const { body } = await execute(id, { name: 'we"b' });
    const query = `up{host="we\\"b", label="Web", job="x"}[${day}]`;
    expect(new URLSearchParams(stub.seen[0].body).get('query')).toBe(query);
    expect(body.checks[0]).toMatchObject({ query, series_count: 2, failure: null });
    expect(body.value).toBeCloseTo(50, 2);
  });

  test('that fails makes "unknown" with the reason, never a figure', async () => {
    const broken = await startHttpStub(() => ({ status: 500, body: { status: 'error', error: 'on fire' } }));
    const push = await newPush();
    const { id, names } = await newRule({ source: await newPrometheus(broken.url), query: 'up' }, { source: push });
    await measured(names[1], [[0, 1]]);
    const { status, body } = await execute(id);
    expect(status).toBe(200);
    const [failed] = body.checks.filter(({ failure }: { failure: string | null }) => failure !== null);
    expect(failed).toMatchObject({
      value: null,
      coverage: 0,
      failure: 'Prometheus answered 500: on fire.',
      query: 'up',
    });
    expect(failed.timeline).toEqual([{ from: day, to: day + 86_399, state: 'unknown' }]);
    // What the other check knows still counts.
    expect(body.value).toBe(100);
    expect(broken.seen).toHaveLength(1);
  });

  test('that does not answer in time has failed', async () => {
    const mute = createServer().listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const { port } = mute.address() as AddressInfo; // it listens on a port
    const source = await newPrometheus(`http://127.0.0.1:${port}`, { timeout_seconds: 1 });
    const { id } = await newRule({ source, query: 'up' });
    expect((await execute(id)).body.checks[0].failure).toContain('did not answer within 1 s');
    mute.close();
  });

  test('with many points is told up to a bound that is told, too', async () => {
    const values = Array.from({ length: 2500 }, (_, n): [number, string] => [day + n, String(n % 2)]);
    const stub = await startHttpStub(() => matrix(values));
    const { id } = await newRule({ source: await newPrometheus(stub.url), query: 'up' });
    const { body } = await execute(id);
    expect(body.checks[0].series[0]).toMatchObject({ points_count: 2500 });
    expect(body.checks[0].series[0].points).toHaveLength(2000);
    expect([body.timeline.length, body.timeline_cut]).toEqual([1000, true]);
  });
});

test.each([
  [{ end: day }],
  [{ end: day + 86_401 }],
  [{ start: -1 }],
  [{ start: 'x' }],
  [{ label: 'web' }],
  [{ name: '' }],
  [{ name: '\u0000' }],
])('%j is refused', async (wrong) => {
  const rule = await arrange('POST', '/rules', { name: unique('rule') });
  expect((await execute(rule.id, wrong)).status).toBe(400);
});

test('a rule without checks knows nothing, and one that is not there is not found', async () => {
  const rule = await arrange('POST', '/rules', { name: unique('rule') });
  expect((await execute(rule.id)).body).toMatchObject({ value: null, coverage: 0, checks: [] });
  expect((await execute('x')).status).toBe(404);
  const other = (await app.createTeam()).id;
  const { status } = await app.request('POST', `/v1/teams/${other}/rules/${rule.id}/execute`, {
    token: adminToken,
    body: { label: 'Web', name: 'a', start: 0, end: 60 },
  });
  expect(status).toBe(404);
});
