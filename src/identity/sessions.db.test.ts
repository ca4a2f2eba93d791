import { beforeAll, describe, expect, test } from 'vitest';
import { adminToken, createTestClock, startTestApp, type TestApp, unique } from '../../test/harness/app.ts';
import { type Scope, scopes } from './access.ts';

let app: TestApp;
const clock = createTestClock();
const weekMs = 7 * 86_400_000;

beforeAll(async () => {
  app = await startTestApp({ clock });
});

async function signIn(on: TestApp = app, granted: readonly Scope[] = scopes, expiresAt: string | null = null) {
  const user = await on.createUser();
  const created = await on.createToken(user.id, granted, expiresAt);
  const answer = await on.request('POST', '/v1/session', { body: { token: created.token } });
  expect(answer.status).toBe(201);
  const setCookie = String(answer.headers['set-cookie']);
  return {
    user,
    tokenId: created.id,
    token: created.token,
    setCookie,
    cookie: setCookie.split(';')[0],
    csrf: answer.body.csrf_token,
    answer,
  };
}

describe('a session', () => {
  test('is held by a cookie that scripts and other sites cannot use', async () => {
    const { setCookie, answer, user } = await signIn();
    const attributes = setCookie.split('; ').slice(1);
    expect(attributes).toEqual(expect.arrayContaining(['HttpOnly', 'SameSite=Lax', 'Path=/']));
    expect(attributes).not.toContain('Secure');
    expect(attributes.some((attribute) => attribute.startsWith('Domain'))).toBe(false);
    expect(answer.body).toEqual({
      user: { id: user.id, name: user.name, admin: false },
      csrf_token: expect.any(String),
      expires_at: new Date(clock() + weekMs).toISOString(),
    });
    expect(setCookie).not.toContain(answer.body.csrf_token);
  });

  test('has a Secure cookie where the public address is encrypted', async () => {
    const secure = await startTestApp({
      database: app.database,
      clock,
      config: { publicUrl: 'https://faultline.test' },
    });
    expect((await signIn(secure)).setCookie.split('; ')).toContain('Secure');
  });

  test('reads without more, and changes only with X-CSRF-Token', async () => {
    const { cookie, csrf } = await signIn();
    const send = (method: string, extra: Record<string, string> = {}) =>
      app.request(method, '/v1/news', { headers: { cookie, ...extra } });
    expect((await send('GET')).status).toBe(200);
    expect((await send('DELETE')).status).toBe(403);
    expect((await send('DELETE', { 'x-csrf-token': 'wrong' })).status).toBe(403);
    expect((await send('DELETE', { 'x-csrf-token': '' })).status).toBe(403);
    expect((await send('DELETE', { 'x-csrf-token': csrf })).status).toBe(200);
  });

  test("another session's X-CSRF-Token does not fit", async () => {
    const [mine, other] = [await signIn(), await signIn()];
    const headers = { cookie: mine.cookie, 'x-csrf-token': other.csrf };
    expect((await app.request('DELETE', '/v1/news', { headers })).status).toBe(403);
  });

  test('a token in the header needs no X-CSRF-Token, with a cookie beside it or without', async () => {
    const { cookie, token } = await signIn();
    expect((await app.request('DELETE', '/v1/news', { token })).status).toBe(200);
    expect((await app.request('DELETE', '/v1/news', { token, headers: { cookie } })).status).toBe(200);
  });

  test('a bad token is not rescued by a good cookie', async () => {
    const { cookie } = await signIn();
    expect((await app.request('GET', '/v1/news', { token: 'wrong', headers: { cookie } })).status).toBe(401);
  });

  test('tells its X-CSRF-Token again to the page that comes back', async () => {
    const { cookie, csrf } = await signIn();
    expect((await app.request('GET', '/v1/session', { headers: { cookie } })).body.csrf_token).toBe(csrf);
    expect((await app.request('GET', '/v1/session', { token: adminToken })).body.csrf_token).toBeNull();
  });

  test('can do what its token can, no more', async () => {
    const { cookie, csrf } = await signIn(app, ['Read']);
    const headers = { cookie, 'x-csrf-token': csrf };
    expect((await app.request('GET', '/v1/users/me', { headers })).body.scopes).toEqual(['Read']);
    expect((await app.request('DELETE', '/v1/news', { headers })).status).toBe(403);
  });

  test('ends with the sign-out, which takes the cookie away', async () => {
    const { cookie, csrf } = await signIn();
    const headers = { cookie, 'x-csrf-token': csrf };
    const out = await app.request('DELETE', '/v1/session', { headers });
    expect(out).toMatchObject({ status: 200, body: {} });
    expect(String(out.headers['set-cookie'])).toMatch(/^faultline_session=;.*(Max-Age=0|Expires=Thu, 01 Jan 1970)/);
    expect((await app.request('GET', '/v1/users/me', { headers })).status).toBe(401);
  });

  test('dies with its token', async () => {
    const { cookie, user, tokenId } = await signIn();
    const read = async () => (await app.request('GET', '/v1/users/me', { headers: { cookie } })).status;
    expect(await read()).toBe(200);
    await app.arrange('DELETE', `/v1/users/${user.id}/tokens/${tokenId}`);
    expect(await read()).toBe(401);
  });

  test('dies with its user', async () => {
    const { cookie, user } = await signIn();
    await app.arrange('PATCH', `/v1/users/${user.id}`, { disabled: true });
    expect((await app.request('GET', '/v1/users/me', { headers: { cookie } })).status).toBe(401);
  });

  test('ends with its token, and after a week at the latest', async () => {
    const own = createTestClock(clock());
    const timed = await startTestApp({ database: app.database, clock: own });
    const short = await signIn(timed, scopes, new Date(own() + 60_000).toISOString());
    const long = await signIn(timed);
    const read = async (cookie: string) => (await timed.request('GET', '/v1/users/me', { headers: { cookie } })).status;
    own.advance(59_999);
    expect([await read(short.cookie), await read(long.cookie)]).toEqual([200, 200]);
    own.advance(1);
    expect([await read(short.cookie), await read(long.cookie)]).toEqual([401, 200]);
    own.advance(weekMs);
    expect(await read(long.cookie)).toBe(401);
  });

  test('makes tokens that outlive it, but not the token it came from', async () => {
    const make = (session: { cookie: string; csrf: string }) =>
      app.request('POST', '/v1/users/me/tokens', {
        headers: { cookie: session.cookie, 'x-csrf-token': session.csrf },
        body: { name: 'n', scopes: ['Read'] },
      });
    expect(await make(await signIn())).toMatchObject({ status: 201, body: { expires_at: null } });
    const until = new Date(clock() + weekMs * 5).toISOString();
    expect(await make(await signIn(app, scopes, until))).toMatchObject({ status: 201, body: { expires_at: until } });
  });

  test('a wrong, empty or endless token opens none', async () => {
    expect((await app.request('POST', '/v1/session', { body: { token: 'wrong' } })).status).toBe(401);
    expect((await app.request('POST', '/v1/session', { body: { token: '' } })).status).toBe(400);
    expect((await app.request('POST', '/v1/session', { body: { token: 'x'.repeat(1001) } })).status).toBe(400);
  });

  test('a token that another process revoked at this moment is 401, not a fault of the server', async () => {
    const user = await app.createUser();
    const { id, token } = await app.createToken(user.id);
    expect((await app.request('GET', '/v1/users/me', { token })).status).toBe(200);
    // Gone behind the back of this process, which still remembers it.
    await app.database.db.deleteFrom('tokens').where('id', '=', id).execute();
    expect((await app.request('POST', '/v1/session', { body: { token } })).status).toBe(401);
  });
});

describe('X-Remote-User', () => {
  const proxy = '10.1.2.3';
  let behindProxy: TestApp;
  beforeAll(async () => {
    behindProxy = await startTestApp({ database: app.database, config: { trustedProxies: ['10.1.0.0/16', '::1'] } });
  });
  const me = (name: string, remoteAddress: string, headers: Record<string, string> = {}, on = behindProxy) =>
    on.request('GET', '/v1/users/me', { remoteAddress, headers: { 'x-remote-user': name, ...headers } });

  test('is believed from a named proxy, and a new name becomes a user without rights', async () => {
    const name = unique('remote');
    const answer = await me(name, proxy);
    expect(answer).toMatchObject({ status: 200, body: { name, admin: false, scopes: ['Read', 'Write'], grants: {} } });
    expect((await me(name, '::ffff:10.1.9.9')).body.id).toBe(answer.body.id);
    expect((await me(name, '::1')).body.id).toBe(answer.body.id);
  });

  test('is ignored from everybody else, whatever they say about where they are', async () => {
    expect((await me('admin', '10.2.0.1')).status).toBe(401);
    expect((await me('admin', '127.0.0.1')).status).toBe(401);
    expect((await me('admin', '10.2.0.1', { 'x-forwarded-for': proxy })).status).toBe(401);
    expect((await me('admin', '10.2.0.1', { forwarded: `for=${proxy}`, 'x-real-ip': proxy })).status).toBe(401);
  });

  test('is ignored everywhere unless the operator names proxies', async () => {
    expect((await me('admin', '127.0.0.1', {}, app)).status).toBe(401);
    expect((await me('admin', proxy, {}, app)).status).toBe(401);
  });

  test('a disabled user stays out, and names that cannot be names are refused', async () => {
    const user = await app.createUser();
    await app.arrange('PATCH', `/v1/users/${user.id}`, { disabled: true });
    expect((await me(user.name, proxy)).status).toBe(401);
    expect((await me('x'.repeat(256), proxy)).status).toBe(401);
    expect((await me('a\u0085b', proxy)).status).toBe(401);
  });

  test('names in UTF-8 arrive as they are', async () => {
    const name = unique('Zoë');
    const asNodeReadsIt = Buffer.from(name).toString('latin1');
    expect((await me(asNodeReadsIt, proxy)).body.name).toBe(name);
  });

  test('many first requests at once make one user', async () => {
    const name = unique('crowd');
    const answers = await Promise.all(Array.from({ length: 20 }, () => me(name, proxy)));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(20).fill(200));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  });

  test('a change that another site asks for is refused', async () => {
    const change = (site: string) =>
      behindProxy.request('DELETE', '/v1/news', {
        remoteAddress: proxy,
        headers: { 'x-remote-user': 'somebody', 'sec-fetch-site': site },
      });
    expect((await change('cross-site')).status).toBe(403);
    expect((await change('same-site')).status).toBe(403);
    expect((await change('same-origin')).status).toBe(200);
  });

  test('X-Forwarded-For is believed from named proxies only', async () => {
    const seenAddress = async (remoteAddress: string) => {
      const name = unique('seen');
      await behindProxy.request('POST', '/v1/teams', {
        token: adminToken,
        body: { name },
        remoteAddress,
        headers: { 'x-forwarded-for': '203.0.113.9' },
      });
      const { entries } = await app.arrange('GET', '/v1/audit?action=team.create&limit=1');
      expect(entries[0].details.name).toBe(name);
      return entries[0].address;
    };
    expect(await seenAddress(proxy)).toBe('203.0.113.9');
    expect(await seenAddress('10.2.0.1')).toBe('10.2.0.1');
  });
});

describe('limits', () => {
  test('the 601st failure of an address in a minute is 429, and a good token still works', async () => {
    const own = createTestClock(clock());
    const limited = await startTestApp({ database: app.database, clock: own });
    const from = (remoteAddress: string, token: string | undefined) =>
      limited.request('GET', '/v1/users/me', { token, remoteAddress });
    const attacker = '192.0.2.1';
    expect((await from(attacker, adminToken)).status).toBe(200);
    // Without any credential is a failure too, and the cheapest one.
    for (let i = 0; i < 599; i++) expect((await from(attacker, undefined)).status).toBe(401);
    expect((await from(attacker, 'wrong')).status).toBe(401);
    const refused = await from(attacker, 'wrong again');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60);
    expect((await from(attacker, adminToken)).status).toBe(200);
    const signIn = { body: { token: 'wrong' }, remoteAddress: attacker };
    expect((await limited.request('POST', '/v1/session', signIn)).status).toBe(429);
    expect((await from('192.0.2.2', 'wrong')).status).toBe(401);
    own.advance(60_000);
    expect((await from(attacker, 'wrong')).status).toBe(401);
  });

  test('failed sign-ins by session and by cookie count too', async () => {
    const limited = await startTestApp({ database: app.database, clock });
    const remoteAddress = '192.0.2.3';
    for (let i = 0; i < 590; i++) await limited.request('GET', '/v1/news', { remoteAddress });
    for (let i = 0; i < 5; i++) {
      const signIn = await limited.request('POST', '/v1/session', { body: { token: 'wrong' }, remoteAddress });
      const byCookie = { headers: { cookie: 'faultline_session=wrong' }, remoteAddress };
      expect([signIn.status, (await limited.request('GET', '/v1/news', byCookie)).status]).toEqual([401, 401]);
    }
    const last = await limited.request('GET', '/v1/news', {
      headers: { cookie: 'faultline_session=x' },
      remoteAddress,
    });
    expect(last.status).toBe(429);
  });

  test('open routes do not count as failures', async () => {
    const limited = await startTestApp({ database: app.database, clock });
    const remoteAddress = '192.0.2.4';
    for (let i = 0; i < 601; i++) await limited.request('GET', '/api/ping', { remoteAddress });
    expect((await limited.request('GET', '/v1/news', { remoteAddress })).status).toBe(401);
  });

  test('FAULTLINE_RATE_LIMIT counts requests a minute and token', async () => {
    const own = createTestClock(clock());
    const limited = await startTestApp({ database: app.database, clock: own, config: { rateLimitPerMinute: 5 } });
    const [one, two] = [await app.createUser(), await app.createUser()];
    const tokens = [await app.createToken(one.id), await app.createToken(one.id), await app.createToken(two.id)];
    const me = async (token: string) => limited.request('GET', '/v1/users/me', { token });
    for (let i = 0; i < 5; i++) expect((await me(tokens[0].token)).status).toBe(200);
    const refused = await me(tokens[0].token);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await me(tokens[1].token)).status).toBe(200);
    expect((await me(tokens[2].token)).status).toBe(200);
    expect((await limited.request('GET', '/api/ping')).status).toBe(200);
    own.advance(60_000);
    expect((await me(tokens[0].token)).status).toBe(200);
  });
});
