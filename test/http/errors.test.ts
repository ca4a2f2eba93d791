import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { bodyLimitBytes } from '../../src/http/server.ts';
import { adminToken, startTestApp, type TestApp, unique } from '../harness/app.ts';
import { exchange } from '../harness/socket.ts';

/** The one shape of every failure. `request` and `exchange` check shape, code, request id and security headers of each answer. */
let app: TestApp;
let address: string;
const token = adminToken;

beforeAll(async () => {
  app = await startTestApp();
  address = await app.listen();
});

const bearer = `Authorization: Bearer ${adminToken}`;
const raw = (start: string, headers: string[] = [], body = '') =>
  `${start} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n${body}`;
const only = async (bytes: string | Buffer | (string | Buffer)[]) => {
  const answers = await exchange(address, bytes);
  expect(answers).toHaveLength(1);
  return answers[0];
};

describe('addresses', () => {
  test('an unknown one is 404 and named', async () => {
    const answer = await app.request('GET', '/no/such/thing?q=1');
    expect(answer.status).toBe(404);
    expect(answer.body.message).toContain('/no/such/thing;');
  });

  test.each(['DELETE', 'PUT', 'OPTIONS', 'TRACE'])(
    '%s where only others are possible is 405 with Allow',
    async (method) => {
      const answer = await app.request(method, '/v1/teams');
      expect(answer.status).toBe(405);
      expect(answer.headers['allow']).toBe('GET, HEAD, POST');
    },
  );

  test('methods that the framework does not route are 404 or 405 too', async () => {
    expect((await only(raw('PROPFIND /v1/teams'))).status).toBe(405);
    expect((await only(raw('REPORT /nothing'))).status).toBe(404);
    expect((await only(raw('OPTIONS *'))).status).toBe(404);
  });

  test('a file of the page that is missing is 404', async () => {
    expect((await app.request('GET', '/assets/nothing.js')).status).toBe(404);
    expect((await app.request('GET', '/assets/')).status).toBe(404);
    expect((await app.request('HEAD', '/assets/nothing.js')).status).toBe(404);
  });

  test.each([
    '/assets/../package.json',
    '/assets/..%2f..%2fpackage.json',
    '/assets/%2e%2e/%2e%2e/etc/passwd',
    '/assets/%00',
  ])('no file outside the page is served: %s', async (path) => {
    const answer = await only(raw(`GET ${path}`));
    expect([400, 404]).toContain(answer.status);
  });

  test.each(['/%', '/v1/news/%zz', '/v1/teams/%c3%28', '/%E0%A4%A'])('a malformed escape is 400: %s', async (path) => {
    const answer = await app.request('GET', path, { token });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain('percent-escape');
  });

  test('a path part that is longer than any name is 404', async () => {
    expect((await only(raw(`GET /v1/news/${'a'.repeat(20_000)}`, [bearer]))).status).toBe(404);
  });

  test('the absolute form of a request line is understood', async () => {
    expect((await only(raw('GET http://test/api/ping'))).status).toBe(200);
  });

  test('HEAD answers like GET, without a body', async () => {
    const answer = await app.request('HEAD', '/api/ping');
    expect(answer).toMatchObject({ status: 200, text: '' });
    expect(await app.request('HEAD', '/v1/users')).toMatchObject({ status: 401, text: '' });
  });
});

describe('bodies', () => {
  const post = (text: string, type = 'application/json') =>
    app.request('POST', '/v1/teams', { token, text, headers: { 'content-type': type } });

  test.each(['{', '{"name":}', "{'name':'x'}", 'name=x', '{"name":"x"}}', 'NaN', '\u0000', '[1,', '{"name":"\n"}'])(
    'malformed JSON is 400: %j',
    async (text) => {
      const answer = await post(text);
      expect(answer).toMatchObject({ status: 400, body: { message: 'The request body is not valid JSON.' } });
    },
  );

  test.each(['{"__proto__":{"admin":true},"name":"x"}', '{"name":"x","constructor":{"prototype":{"a":1}}}'])(
    'a body that reaches for prototypes is 400: %s',
    async (text) => {
      expect((await post(text)).status).toBe(400);
      expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
    },
  );

  test.each(['', 'null', '[]', '"x"', '1', 'true', '{}'])('a body of another kind is 400: %j', async (text) => {
    expect((await post(text)).status).toBe(400);
  });

  test('an empty body with a JSON header counts as none', async () => {
    const answer = await app.request('DELETE', '/v1/news', { token, text: '' });
    expect(answer).toMatchObject({ status: 200, body: {} });
  });

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'nonsense',
  ])('%s is 415', async (type) => {
    expect((await post('{"name":"x"}', type)).status).toBe(415);
  });

  test('a body without Content-Type is 415', async () => {
    expect((await only(raw('POST /v1/teams', [bearer, 'Content-Length: 12'], '{"name":"x"}'))).status).toBe(415);
  });

  test('application/json with parameters is JSON', async () => {
    const answer = await post(JSON.stringify({ name: unique('é') }), 'Application/JSON; charset=UTF-8');
    expect(answer.status).toBe(201);
  });

  test('a body over the limit is 413, announced or not', async () => {
    const big = JSON.stringify({ name: 'x'.repeat(bodyLimitBytes) });
    expect((await post(big)).status).toBe(413);
    const announced = raw(
      'POST /v1/teams',
      [bearer, 'Content-Type: application/json', `Content-Length: ${big.length}`],
      big,
    );
    expect((await only(announced)).status).toBe(413);
    const chunk = `${(65_536).toString(16)}\r\n${'x'.repeat(65_536)}\r\n`;
    const chunked = raw('POST /v1/teams', [bearer, 'Content-Type: application/json', 'Transfer-Encoding: chunked']);
    expect((await only([chunked, ...Array<string>(20).fill(chunk), '0\r\n\r\n'])).status).toBe(413);
  });

  test('a body that nobody may send is refused before it is read', async () => {
    const announced = raw('POST /v1/teams', ['Content-Type: application/json', 'Content-Length: 99999999']);
    expect((await only(announced)).status).toBe(401);
  });

  test('a body of another length than announced is 400', async () => {
    const answer = await app.request('POST', '/v1/teams', {
      token,
      text: '{"name":"x"}',
      headers: { 'content-length': '5' },
    });
    expect(answer.status).toBe(400);
  });

  test('deep nesting is a plain 400', async () => {
    const deep = '['.repeat(400_000) + ']'.repeat(400_000);
    expect((await post(deep)).status).toBe(400);
    expect((await post(`{"name":${deep}}`)).status).toBe(400);
    expect((await post(`{"name":"x","__proto__":${deep}}`)).status).toBe(400);
  });
});

describe('what is hardly HTTP', () => {
  test.each([
    ['garbage', 'garbage\r\n\r\n'],
    ['a TLS greeting', Buffer.from('160301020001000100', 'hex')],
    ['an unknown method', 'BREW /pot HTTP/1.1\r\nHost: test\r\n\r\n'],
    ['HTTP/2 without agreement', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['two lengths', raw('POST /v1/teams', ['Content-Length: 3', 'Content-Length: 4'], 'abcd')],
    ['a length and chunks', raw('POST /v1/teams', ['Content-Length: 3', 'Transfer-Encoding: chunked'], '0\r\n\r\n')],
    ['a length that is none', raw('POST /v1/teams', ['Content-Length: -1'])],
    ['a header with a NUL', raw('GET /api/ping', ['X-A: a\0b'])],
    ['a space in the address', 'GET /a b HTTP/1.1\r\nHost: test\r\n\r\n'],
    [
      'a broken chunk',
      raw('POST /v1/session', ['Content-Type: application/json', 'Transfer-Encoding: chunked'], 'zz\r\n'),
    ],
  ])('%s is 400', async (_name, bytes) => {
    expect((await only(bytes)).status).toBe(400);
  });

  test('headers that are too large are 431', async () => {
    expect((await only(raw('GET /api/ping', [`X-Long: ${'x'.repeat(40_000)}`]))).status).toBe(431);
    expect((await only(raw(`GET /${'x'.repeat(40_000)}`))).status).toBe(431);
  });

  test('a request without Host is served or refused in our shape', async () => {
    expect((await only('GET /api/ping HTTP/1.1\r\nConnection: close\r\n\r\n')).status).toBe(200);
    expect((await only('GET /api/ping HTTP/1.0\r\n\r\n')).status).toBe(200);
  });

  test('an expectation that nobody can meet is 417', async () => {
    expect((await only(raw('GET /api/ping', ['Expect: miracles']))).status).toBe(417);
  });

  test('Expect: 100-continue is answered and goes on', async () => {
    const head = raw('POST /v1/session', [
      'Expect: 100-continue',
      'Content-Type: application/json',
      'Content-Length: 15',
    ]);
    expect((await only([head, '{"token":"bad"}'])).status).toBe(401);
  });

  test('an Upgrade that we do not speak is ignored', async () => {
    const headers = ['Upgrade: websocket', 'Sec-WebSocket-Key: x', 'Sec-WebSocket-Version: 13'];
    const bytes = `GET /api/ping HTTP/1.1\r\nHost: test\r\nConnection: upgrade, close\r\n${headers.join('\r\n')}\r\n\r\n`;
    expect((await only(bytes)).status).toBe(200);
  });

  test('several requests on one connection are answered in order', async () => {
    const ping = 'GET /api/ping HTTP/1.1\r\nHost: test\r\n\r\n';
    const answers = await exchange(address, [ping, 'GET /none HTTP/1.1\r\nHost: test\r\n\r\n', raw('GET /api/ping')]);
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 200]);
  });
});

describe('query parameters', () => {
  test.each(['-1', '1.5', 'abc', '', '1e3', '0x10', ' 1', '+1', 'NaN', 'null', '١'])(
    'limit=%j is a 400 that names it',
    async (value) => {
      const answer = await app.request('GET', `/v1/news?limit=${encodeURIComponent(value)}`, { token });
      expect(answer).toMatchObject({ status: 400, body: { details: [{ path: 'limit' }] } });
      expect(answer.body.message).toContain('"limit"');
    },
  );

  test.each(['limit', 'unread'])('%s given twice is a 400 that names it', async (name) => {
    const answer = await app.request('GET', `/v1/news?${name}=1&${name}=1`, { token });
    expect(answer).toMatchObject({ status: 400, body: { details: [{ path: name }] } });
  });

  test('numbers beyond all measure mean "all"', async () => {
    const huge = '9'.repeat(300);
    expect((await app.request('GET', `/v1/news?limit=${huge}`, { token })).status).toBe(200);
    expect((await app.request('GET', `/v1/audit?before=${huge}&limit=${huge}`, { token })).status).toBe(200);
  });

  const positive = ['true', '1', 'yes', 'on', 'TRUE', 'Yes', 'oN'];
  const negative = ['false', '0', 'no', 'off', 'FALSE', 'No', 'oFF'];
  test('booleans in every spelling', async () => {
    await app.createNews();
    await app.arrange('DELETE', '/v1/news');
    const count = async (query: string) => (await app.request('GET', `/v1/news?${query}`, { token })).body.news.length;
    for (const value of positive) expect(await count(`unread=${value}`), value).toBe(0);
    expect(await count('unread')).toBe(0);
    expect(await count('unread=')).toBe(0);
    for (const value of negative) expect(await count(`unread=${value}`), value).toBeGreaterThan(0);
  });

  test.each(['2', 'maybe', 'truе', ' true', 'null', '-1'])('unread=%j is a 400 that names it', async (value) => {
    const answer = await app.request('GET', `/v1/news?unread=${encodeURIComponent(value)}`, { token });
    expect(answer).toMatchObject({ status: 400, body: { details: [{ path: 'unread' }] } });
  });

  test('unknown parameters are ignored, odd names too', async () => {
    const odd = 'foo=1&foo=2&__proto__=x&constructor=y&toString&%00=%00&=';
    expect((await app.request('GET', `/v1/news?${odd}`, { token })).status).toBe(200);
  });
});

describe('text in every field', () => {
  const fields: [string, string, (text: string) => unknown, string][] = [
    ['POST', '/v1/users', (name) => ({ name }), 'name'],
    ['POST', '/v1/teams', (name) => ({ name }), 'name'],
    ['POST', '/v1/news', (title) => ({ title, message: 'm' }), 'title'],
    ['POST', '/v1/news', (message) => ({ title: 't', message }), 'message'],
    ['POST', '/v1/users/me/tokens', (name) => ({ name, scopes: ['Read'] }), 'name'],
    ['POST', '/v1/users/me/tokens', (expires_at) => ({ name: 'n', scopes: ['Read'], expires_at }), 'expires_at'],
    ['POST', '/v1/users/me/tokens', (scope) => ({ name: 'n', scopes: [scope] }), 'scopes.0'],
    ['PUT', '/v1/teams/TEAM/grants', (user) => ({ grants: [{ user, role: 'member' }] }), 'grants.0.user'],
    ['PUT', '/v1/teams/TEAM/grants', (role) => ({ grants: [{ user: 'admin', role }] }), 'grants.0.role'],
  ];
  const nasty = ['\0', 'a\0b', '\u0007', '\u0085', '\ud800', 'a\udfffb', '\ude00\ud83d', ''];
  const wrongTypes = [null, 1, true, [], {}, ['x'], 1e308, -0];

  test.each(fields)(
    '%s %s refuses control characters, half characters and other types',
    async (method, url, body, path) => {
      const { id } = await app.createTeam();
      for (const value of [...nasty, ...wrongTypes]) {
        if (value === null && path === 'expires_at') continue; // means "never"
        const answer = await app.request(method, url.replace('TEAM', id), { token, body: body(value as string) });
        const about = `${path} = ${JSON.stringify(value)}: ${answer.text}`;
        expect(answer.status, about).toBe(400);
        expect(answer.body.details[0].path, about).toBe(path);
      }
    },
  );

  test('a token to sign in with may be any text, and is refused', async () => {
    for (const value of nasty.filter(Boolean)) {
      expect((await app.request('POST', '/v1/session', { body: { token: value } })).status).toBe(401);
    }
  });

  test('query text refuses control characters and finds nothing for what nobody is called', async () => {
    for (const name of ['action', 'user', 'team_id']) {
      expect((await app.request('GET', `/v1/audit?${name}=a%00b`, { token })).status).toBe(400);
      expect((await app.request('GET', `/v1/audit?${name}=%ED%A0%80`, { token })).body.entries).toEqual([]);
    }
  });

  test('text outside the basic plane, right to left and combined is kept as it came', async () => {
    const name = unique('𝔸 שלום e\u0301 👩‍👩‍👧 "quotes" \\ <b>');
    expect((await app.createTeam(name)).name).toBe(name);
  });
});

describe('headers of every answer', () => {
  test("a caller's own harmless X-Request-Id is kept, any other is replaced", async () => {
    const idFor = async (id: string) =>
      (await app.request('GET', '/api/ping', { headers: { 'x-request-id': id } })).headers['x-request-id'];
    expect(await idFor('trace-1:a.b_C')).toBe('trace-1:a.b_C');
    for (const odd of ['a b', 'a\tb', '<script>', 'x'.repeat(101), 'ü', '']) expect(await idFor(odd)).not.toBe(odd);
  });

  test('no two requests get the same id', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => app.request('GET', '/api/ping')));
    expect(new Set(answers.map(({ headers }) => headers['x-request-id'])).size).toBe(50);
  });

  test('nothing is cached, and encryption is insisted on only where the public address has it', async () => {
    const { headers } = await app.request('GET', '/v1/users/me', { token });
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['strict-transport-security']).toBeUndefined();
    const secure = await startTestApp({ database: app.database, config: { publicUrl: 'https://faultline.test' } });
    expect((await secure.request('GET', '/api/ping')).headers['strict-transport-security']).toContain('max-age=');
  });

  test('large answers are compressed for those who accept it', async () => {
    for (const [accepted, encoding] of [
      ['gzip, br', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0, gzip', 'gzip'],
      ['identity', undefined],
    ] as const) {
      const answer = await app.request('GET', '/openapi.json', { headers: { 'accept-encoding': accepted } });
      expect(answer.headers['content-encoding'], accepted).toBe(encoding);
      expect(answer.headers['vary']).toBe('accept-encoding');
    }
    const fetched = await fetch(`${address}/openapi.json`);
    expect(fetched.headers.get('content-encoding')).toMatch(/^(br|gzip)$/);
    expect(await fetched.json()).toMatchObject({ openapi: '3.1.0' });
  });
});

test('a database that is away is 503 with Retry-After, and readiness says which part is not ready', async () => {
  const away = await startTestApp({ database: app.database });
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  // The driver calls it with a callback or awaits it.
  const refuse = (callback?: (error: Error) => void) => (callback ? callback(refused) : Promise.reject(refused));
  const connect = vi.spyOn(app.database.pool, 'connect').mockImplementation(refuse as never); // one function for both overloads
  onTestFinished(() => connect.mockRestore());
  const answer = await away.request('GET', '/v1/users/me', { token: 'flt_unknown' });
  expect(answer.status).toBe(503);
  expect(answer.headers['retry-after']).toBe('1');
  const ready = await away.request('GET', '/health/ready');
  expect(ready).toMatchObject({ status: 503, body: { ready: false, checks: { database: 'not ready' } } });
  expect((await away.request('GET', '/health/live')).status).toBe(200);
  expect((await away.request('GET', '/api/ping')).body).toEqual({ message: 'pong' });
});

test('/metrics is text for Prometheus, with routes and not addresses as labels', async () => {
  await app.request('GET', '/v1/news/some-id', { token });
  const { text, headers } = await app.request('GET', '/metrics', { token });
  expect(headers['content-type']).toContain('text/plain');
  expect(text).toContain('route="/v1/news/:news_id"');
  expect(text).not.toContain('some-id');
});
