import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { adminToken, startTestApp, type TestApp } from '../../test/harness/app.ts';
import { newTestDirectory } from '../../test/harness/database.ts';
import { freePort } from '../../test/harness/postgres.ts';
import { findProgram, startProgram } from '../../test/harness/programs.ts';
import { startHttpStub } from '../platform/integrations/testing/http-stub.ts';

/** The whole way, from the rule to the program that measured; where there is no program to install, to a stand-in, and the title says so. */

const day = Math.floor(Date.now() / 86_400_000) * 86_400 - 86_400;
/** A name that has to be escaped. */
const nasty = `we"b\\1 it's`;
/** Up, and down from 10:00 to 10:30 (30 minutes and, as the last good value holds until the next point, no more). */
const isUp = (second: number): number => (second >= 36_000 && second < 37_800 ? 0 : 1);
const minutes = Array.from({ length: 1440 }, (_, minute) => minute * 60);
/** 1,800 of the 86,399 seconds are bad. */
const expected = 97.917;

/** One for both programs. */
let started: Promise<TestApp> | undefined;

/** A team with one rule of one check on one source; answers how the rule judges a node. */
async function ruleOn(source: object, check: object) {
  started ??= startTestApp({ config: { outboundAllow: ['127.0.0.1'] } });
  const app = await started;
  const base = `/v1/teams/${(await app.createTeam()).id}`;
  const { id } = await app.arrange('POST', `${base}/sources`, { name: 'real', ...source });
  const tried = await app.arrange('POST', `${base}/integrations/${id}/test`);
  await app.arrange('POST', `${base}/checks`, { name: 'up', source: id, threshold: '1:', ...check });
  const rule = await app.arrange('POST', `${base}/rules`, { name: 'Up' });
  await app.arrange('PUT', `${base}/rules/${rule.id}/checks`, { checks: ['up'] });
  const execute = async (name: string) => {
    const { status, text, body } = await app.request('POST', `${base}/rules/${rule.id}/execute`, {
      token: adminToken,
      body: { label: 'Web', name, start: day, end: day + 86_399 },
    });
    expect(status, text).toBe(200);
    return body;
  };
  const change = (body: object) =>
    app
      .arrange('GET', `${base}/checks`)
      .then(({ checks }) => app.arrange('PUT', `${base}/checks/${checks[0].id}`, body));
  return { tried, execute, change };
}
type Rule = Awaited<ReturnType<typeof ruleOn>>;

const [prometheus, promtool] = [findProgram('prometheus'), findProgram('promtool')];
const hasPrometheus = prometheus !== undefined && promtool !== undefined;
describe.skipIf(!hasPrometheus)(`the real Prometheus${hasPrometheus ? '' : ' (is not installed)'}`, () => {
  let rule: Rule;
  beforeAll(async () => {
    const directory = await newTestDirectory();
    const label = JSON.stringify(nasty);
    const lines = minutes.map((second) => `service_up{host=${label}} ${isUp(second)} ${day + second}`);
    const others = minutes.map((second) => `service_up{host="other"} 1 ${day + second}`);
    const metrics = ['# TYPE service_up gauge', ...lines, ...others, '# EOF', ''].join('\n');
    await writeFile(join(directory, 'metrics'), metrics);
    await writeFile(join(directory, 'config.yml'), 'scrape_configs: []\n');
    const data = join(directory, 'data');
    execFileSync(promtool ?? '', ['tsdb', 'create-blocks-from', 'openmetrics', join(directory, 'metrics'), data]);
    const port = await freePort();
    const address = `http://127.0.0.1:${port}`;
    const flags = [
      `--config.file=${join(directory, 'config.yml')}`,
      `--storage.tsdb.path=${data}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ];
    await startProgram(prometheus ?? '', flags, `${address}/-/ready`);
    rule = await ruleOn({ model: 'prometheus', config: { url: address } }, { query: 'service_up{host="{{ name }}"}' });
  });

  test('connects', () => {
    expect(rule.tried).toMatchObject({ ok: true, message: 'Prometheus answered a query.' });
  });

  test('measures the bad half hour of a node whose name needs escaping', async () => {
    const body = await rule.execute(nasty);
    expect(body.checks[0].failure).toBeNull();
    expect(body.value).toBe(expected);
    expect(body.coverage).toBeCloseTo((100 * 86_340) / 86_399, 3);
    expect(body.timeline[1]).toEqual({ from: day + 36_000, to: day + 37_800, state: 'false' });
    expect((await rule.execute('other')).value).toBe(100);
  });

  test('knows nothing of a node without points, and says what is wrong with a query', async () => {
    expect(await rule.execute('nobody')).toMatchObject({ value: null, coverage: 0, checks: [{ failure: null }] });
    await rule.change({ query: 'service_up{' });
    expect(await rule.execute('other')).toMatchObject({
      value: null,
      checks: [{ failure: expect.stringMatching(/^Prometheus answered 400: .*parse error/) }],
    });
  });
});

const influxd = findProgram('influxd');
describe.skipIf(influxd === undefined)(`the real InfluxDB${influxd ? '' : ' (is not installed)'}`, () => {
  let rule: Rule;
  beforeAll(async () => {
    const directory = await newTestDirectory();
    const [port, rpc] = [await freePort(), await freePort()];
    const address = `http://127.0.0.1:${port}`;
    for (const folder of ['meta', 'data', 'wal']) await mkdir(join(directory, folder));
    const settings = [
      'reporting-disabled = true',
      `bind-address = "127.0.0.1:${rpc}"`,
      '[meta]',
      `dir = "${join(directory, 'meta')}"`,
      '[data]',
      `dir = "${join(directory, 'data')}"`,
      `wal-dir = "${join(directory, 'wal')}"`,
      '[http]',
      `bind-address = "127.0.0.1:${port}"`,
      'log-enabled = false',
    ];
    await writeFile(join(directory, 'influxdb.conf'), `${settings.join('\n')}\n`);
    await startProgram(influxd ?? '', ['-config', join(directory, 'influxdb.conf')], `${address}/ping`);
    const created = await fetch(`${address}/query`, {
      method: 'POST',
      body: new URLSearchParams({ q: 'create database metrics' }),
    });
    expect(created.status).toBe(200);
    // In its line protocol a blank in a tag is escaped, quotes stand for themselves.
    const tag = nasty.replaceAll(' ', '\\ ');
    const lines = minutes.flatMap((second) => [
      `service,host=${tag} up=${isUp(second)} ${day + second}`,
      `service,host=other up=1 ${day + second}`,
    ]);
    const written = await fetch(`${address}/write?db=metrics&precision=s`, { method: 'POST', body: lines.join('\n') });
    expect(written.status).toBe(204);
    rule = await ruleOn(
      { model: 'influxdb', config: { url: address, database: 'metrics' } },
      { query: `select up from service where host = '{{ name }}' and time >= $start and time <= $end` },
    );
  });

  test('connects', () => {
    expect(rule.tried).toMatchObject({ ok: true });
  });

  test('measures the bad half hour of a node whose name needs escaping', async () => {
    const body = await rule.execute(nasty);
    expect(body.checks[0].failure).toBeNull();
    expect(body.value).toBe(expected);
    expect(body.timeline[1]).toEqual({ from: day + 36_000, to: day + 37_800, state: 'false' });
    expect((await rule.execute('other')).value).toBe(100);
  });

  test('knows nothing of a node without points, and says what is wrong with a query', async () => {
    expect(await rule.execute('nobody')).toMatchObject({ value: null, coverage: 0, checks: [{ failure: null }] });
    await rule.change({ query: 'select $start $end' });
    expect(await rule.execute('other')).toMatchObject({
      value: null,
      checks: [{ failure: expect.stringMatching(/^InfluxDB answered 400: .*parsing query/) }],
    });
  });
});

describe('OpenTSDB (a stand-in that answers in the shape of its documentation, api_http/query)', () => {
  test('is asked with sub-queries in which the name is escaped, and its points are judged', async () => {
    const stub = await startHttpStub(({ url, body }) => {
      if (url.pathname === '/api/version') return { body: { version: '2.4.1', short_revision: '', host: 'tsd' } };
      const { start, end, queries } = JSON.parse(body);
      const isAsked = start === day && end === day + 86_399 && queries[0].filters[0].filter === nasty;
      if (!isAsked)
        return { status: 400, body: { error: { code: 400, message: 'No such name for tagv', details: '' } } };
      const dps = Object.fromEntries(minutes.map((second) => [String(day + second), isUp(second)]));
      return { body: [{ metric: 'service.up', tags: { host: nasty }, aggregateTags: [], tsuids: ['0102'], dps }] };
    });
    const filters = [{ type: 'literal_or', tagk: 'host', filter: '{{ name }}', groupBy: false }];
    const query = JSON.stringify([{ aggregator: 'min', metric: 'service.up', filters }]);
    const { tried, execute } = await ruleOn(
      { name: 'opentsdb', model: 'opentsdb', config: { url: stub.url } },
      { query },
    );
    expect(tried).toMatchObject({ ok: true });
    expect(await execute(nasty)).toMatchObject({ value: expected, checks: [{ failure: null }] });
    expect(await execute('other')).toMatchObject({
      value: null,
      checks: [{ failure: 'OpenTSDB answered 400: No such name for tagv.' }],
    });
  });
});

describe('Warp 10 (a stand-in that answers in the shape of its documentation, Analysing data)', () => {
  test('is asked with a script in which the name is escaped, and its points are judged', async () => {
    const stub = await startHttpStub(({ url, body }) => {
      const text = decodeURIComponent(body);
      if (url.pathname !== '/api/v0/exec' || !text.includes(`{ 'host' '=${nasty}' }`)) {
        return { status: 500, headers: { 'x-warp10-error-message': 'Exception at FETCH' } };
      }
      const v = minutes.map((second) => [(day + second) * 1_000_000, isUp(second)]);
      // The top of the stack first: the units of a second, then what the query left.
      return { body: [1_000_000, [{ c: 'service.up', l: { host: nasty }, a: {}, la: 0, v: v.toReversed() }]] };
    });
    const query = `[ $token 'service.up' { 'host' '={{ name }}' } $start $end ] FETCH`;
    const { execute } = await ruleOn(
      { name: 'warp10', model: 'warp10', config: { url: stub.url, token: 'READ' } },
      { query },
    );
    expect(stub.seen.at(-1)?.body).toContain('FETCH');
    const judged = await execute(nasty);
    expect(judged).toMatchObject({ value: expected, checks: [{ failure: null }] });
    // Quotes inside of the text would end it.
    expect(judged.checks[0].query).toBe(`[ $token 'service.up' { 'host' '=we%22b%5C1%20it%27s' } $start $end ] FETCH`);
    expect(await execute('other')).toMatchObject({
      value: null,
      checks: [{ failure: 'Warp 10 could not run the script: Exception at FETCH.' }],
    });
  });
});
