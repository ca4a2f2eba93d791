import { describe, expect, test } from 'vitest';
import { createOutboundGuard } from '../../../workflows/worker/outbound.ts';
import { type Seen, startHttpStub } from '../testing/http-stub.ts';
import { createInfluxDbSource } from './influxdb.ts';
import { createOpenTsdbSource } from './opentsdb.ts';
import { createPrometheusSource } from './prometheus.ts';
import { createWarp10Source } from './warp10.ts';

const guard = createOutboundGuard(['127.0.0.1']);
const noCredentials = { token: '', user: '', password: '' };
/** Answers the one path that is asked for, in the shape that the documentation of the source shows. */
const at = (path: string, body: unknown) => (seen: Seen) => (seen.url.pathname === path ? { body } : { status: 404 });

describe('Prometheus', () => {
  const source = (url: string, credentials = {}) =>
    createPrometheusSource({ url, ...noCredentials, step_seconds: 60, ...credentials }, guard);

  test('is asked for a range, with credentials, and its text values become numbers', async () => {
    const values = [
      [100, '1.5'],
      [160, 'NaN'],
      [220, '+Inf'],
      [280, '2'],
    ];
    const result = [{ metric: { __name__: 'up', job: 'web' }, values }];
    const stub = await startHttpStub(
      at('/prefix/api/v1/query_range', { status: 'success', data: { resultType: 'matrix', result } }),
    );
    const prometheus = source(`${stub.url}/prefix/`, { user: 'me', password: 'pässword' });
    expect(await prometheus.query('up', 100, 300)).toEqual({
      series: [
        {
          labels: { __name__: 'up', job: 'web' },
          points: [
            [100, 1.5],
            [280, 2],
          ],
        },
      ],
    });
    expect(Object.fromEntries(new URLSearchParams(stub.seen[0].body))).toEqual({
      query: 'up',
      start: '100',
      end: '300',
      step: '60',
    });
    const basic = Buffer.from('me:pässword').toString('base64');
    expect(stub.seen[0].headers.authorization).toBe(`Basic ${basic}`);
    await prometheus.query('up', 0, 86_400 * 30);
    expect(new URLSearchParams(stub.seen[1].body).get('step')).toBe('260');
  });

  test('says what is wrong', async () => {
    const refusing = await startHttpStub(() => ({ status: 401, body: 'no' }));
    await expect(source(refusing.url).test()).rejects.toThrow('refuses the credentials (401)');
    const failing = await startHttpStub(() => ({ status: 422, body: { status: 'error', error: 'too many samples.' } }));
    await expect(source(failing.url).query('x', 1, 2)).rejects.toThrow('Prometheus answered 422: too many samples.');
    const page = await startHttpStub(() => ({ body: '<html>' }));
    await expect(source(page.url).test()).rejects.toThrow('is not Prometheus');
    const other = await startHttpStub(() => ({ body: { hello: 1 } }));
    await expect(source(other.url).test()).rejects.toThrow('does not speak as Prometheus does');
    await expect(source('http://127.0.0.1:1').test()).rejects.toThrow('Nothing listens at http://127.0.0.1:1');
    await expect(source('http://10.0.0.1').test()).rejects.toThrow('is not a public address');
  });
});

describe('OpenTSDB', () => {
  const source = (url: string) => createOpenTsdbSource({ url, ...noCredentials, token: 'abc' }, guard);

  test('is asked in its short form and with sub-queries', async () => {
    const stub = await startHttpStub(
      at('/api/query', [{ metric: 'cpu', tags: { host: 'a' }, aggregateTags: [], dps: { '20': 2, '10': 1, '99': 3 } }]),
    );
    const expected = {
      series: [
        {
          labels: { __name__: 'cpu', host: 'a' },
          points: [
            [10, 1],
            [20, 2],
          ],
        },
      ],
    };
    expect(await source(stub.url).query('sum:cpu{host=*}', 10, 50)).toEqual(expected);
    expect(Object.fromEntries(stub.seen[0].url.searchParams)).toEqual({ start: '10', end: '50', m: 'sum:cpu{host=*}' });
    expect(await source(stub.url).query('{"aggregator":"sum","metric":"cpu"}', 10, 50)).toEqual(expected);
    expect(JSON.parse(stub.seen[1].body)).toEqual({
      start: 10,
      end: 50,
      queries: [{ aggregator: 'sum', metric: 'cpu' }],
    });
    expect(stub.seen[1].headers.authorization).toBe('Bearer abc');
    await expect(source(stub.url).query('{oops', 1, 2)).rejects.toThrow('neither');
  });

  test('tells its version, and what it complains of', async () => {
    const stub = await startHttpStub(at('/api/version', { version: '2.4.1', host: 'x' }));
    expect(await source(stub.url).test()).toBe('OpenTSDB 2.4.1 answered.');
    const failing = await startHttpStub(() => ({
      status: 400,
      body: { error: { code: 400, message: 'No such name' } },
    }));
    await expect(source(failing.url).query('sum:x', 1, 2)).rejects.toThrow('OpenTSDB answered 400: No such name.');
  });
});

describe('Warp 10', () => {
  test('runs a script that knows token and range, and says how to read its times', async () => {
    const series = {
      c: 'cpu',
      l: { host: 'a' },
      a: {},
      v: [
        [20_000_000, 2],
        [10_000_000, 48.1, -4.5, 1],
        [30_000_000, true],
      ],
    };
    const stub = await startHttpStub(at('/api/v0/exec', [1_000_000, [[series]], 'left']));
    const source = createWarp10Source({ url: stub.url, token: "it's" }, guard);
    expect(await source.query("[ $token 'cpu' {} $start $end ] FETCH // end", 10, 60)).toEqual({
      series: [
        {
          labels: { __name__: 'cpu', host: 'a' },
          points: [
            [10, 1],
            [20, 2],
            [30, 1],
          ],
        },
      ],
    });
    expect(stub.seen[0].body.split('\n')).toEqual([
      "'it%27s' 'token' STORE",
      "'1970-01-01T00%3A00%3A10.000Z' 'start' STORE",
      "'1970-01-01T00%3A01%3A00.000Z' 'end' STORE",
      "[ $token 'cpu' {} $start $end ] FETCH // end",
      'STU',
    ]);
    expect(await source.test()).toBe('Warp 10 ran a script and accepted the token.');
    const failing = await startHttpStub(() => ({
      status: 500,
      headers: { 'x-warp10-error-message': 'Invalid token.' },
    }));
    await expect(createWarp10Source({ url: failing.url, token: 'x' }, guard).test()).rejects.toThrow(
      'Warp 10 could not run the script: Invalid token.',
    );
  });
});

describe('InfluxDB', () => {
  const source = (url: string) => createInfluxDbSource({ url, database: 'd', ...noCredentials, token: 'abc' }, guard);

  test('is asked with the range in the query, and each column is a series', async () => {
    const series = [
      {
        name: 'cpu',
        tags: { host: 'a' },
        columns: ['time', 'mean', 'max'],
        values: [
          [10, 1, null],
          [20, 2, 5],
        ],
      },
    ];
    const stub = await startHttpStub(at('/query', { results: [{ statement_id: 0, series }] }));
    const text = 'select mean(x), max(x) from cpu where time >= $start and time <= $end group by host';
    expect(await source(stub.url).query(text, 10, 50)).toEqual({
      series: [
        {
          labels: { __name__: 'cpu', host: 'a', __field__: 'mean' },
          points: [
            [10, 1],
            [20, 2],
          ],
        },
        { labels: { __name__: 'cpu', host: 'a', __field__: 'max' }, points: [[20, 5]] },
      ],
    });
    expect(Object.fromEntries(stub.seen[0].url.searchParams)).toEqual({
      db: 'd',
      epoch: 's',
      q: text.replace('$start', '10s').replace('$end', '50s'),
    });
    expect(stub.seen[0].headers.authorization).toBe('Token abc');
    await expect(source(stub.url).query('select * from cpu', 1, 2)).rejects.toThrow('limited in time');
  });

  test('says that a database is not there', async () => {
    const stub = await startHttpStub(at('/query', { results: [{ statement_id: 0, error: 'database not found: d' }] }));
    await expect(source(stub.url).test()).rejects.toThrow(
      'InfluxDB could not answer the query: database not found: d.',
    );
    const fine = await startHttpStub(at('/query', { results: [{ statement_id: 0 }] }));
    expect(await source(fine.url).test()).toBe('InfluxDB answered a query on the database.');
  });
});
