import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp, unique } from '../../test/harness/app.ts';
import { clientId, clientSecret, startOidcProvider } from '../../test/harness/oidc-provider.ts';

/** The whole way through a real provider: its pages, its codes, its signatures. */
const publicUrl = 'http://faultline.test';
type Provider = Awaited<ReturnType<typeof startOidcProvider>>;
let app: TestApp;
let provider: Provider;

beforeAll(async () => {
  ({ app, provider } = await startPair());
});

async function startPair(database?: TestApp['database']) {
  const provider = await startOidcProvider(`${publicUrl}/auth/oidc/callback`);
  const config = { publicUrl, oidc: { issuer: provider.issuer, clientId, clientSecret } };
  return { provider, app: await startTestApp({ database, config }) };
}

/** Leaves for the provider, signs in there, and returns with what the browser then holds. */
async function leave(login: string, options: { query?: string; on?: { app: TestApp; provider: Provider } } = {}) {
  const { app: service, provider: there } = options.on ?? { app, provider };
  const left = await service.request('GET', `/auth/oidc/login${options.query ?? ''}`);
  expect(left.status).toBe(302);
  const setCookie = String(left.headers['set-cookie']);
  const back = await there.signIn(String(left.headers['location']), login);
  return { left, setCookie, cookie: setCookie.split(';')[0], back };
}

const comeBack = (back: URL, cookie: string, on = app) =>
  on.request('GET', `${back.pathname}${back.search}`, { headers: cookie ? { cookie } : {} });

async function signIn(login: string, query?: string) {
  const { back, cookie } = await leave(login, { query });
  return comeBack(back, cookie);
}

const sessionOf = (answer: { headers: Record<string, unknown> }) =>
  [answer.headers['set-cookie']]
    .flat()
    .map(String)
    .find((line) => line.startsWith('faultline_session='))
    ?.split(';')[0] ?? '';

const me = (answer: { headers: Record<string, unknown> }) =>
  app.request('GET', '/v1/users/me', { headers: { cookie: sessionOf(answer) } });

test('the way to the provider is announced only where there is one', async () => {
  expect((await app.request('GET', '/auth/methods')).body).toEqual({ token: true, oidc: '/auth/oidc/login' });
  const without = await startTestApp({ database: app.database });
  expect((await without.request('GET', '/auth/methods')).body).toEqual({ token: true, oidc: null });
  expect((await without.request('GET', '/auth/oidc/login')).status).toBe(404);
});

test('the request to the provider carries PKCE, state and nonce, and the browser keeps their other halves', async () => {
  const { left, setCookie } = await leave(unique('ada'));
  const { searchParams } = new URL(String(left.headers['location']));
  expect(searchParams.get('code_challenge_method')).toBe('S256');
  for (const name of ['code_challenge', 'state', 'nonce']) expect(searchParams.get(name)?.length).toBeGreaterThan(20);
  expect(setCookie.split('; ')).toEqual(expect.arrayContaining(['HttpOnly', 'SameSite=Lax', 'Path=/auth/oidc']));
});

test('somebody new becomes a user without rights, and is the same user the next time', async () => {
  const login = unique('ada');
  const answer = await signIn(login, '?return_to=/teams%3Fx=1');
  expect(answer).toMatchObject({ status: 302 });
  expect(answer.headers['location']).toBe('/teams?x=1');
  const { body } = await me(answer);
  expect(body).toMatchObject({ name: login, admin: false, scopes: ['Read', 'Write'], grants: {} });
  expect((await me(await signIn(login))).body.id).toBe(body.id);
});

test('somebody who is called admin there does not become our administrator', async () => {
  const first = (await me(await signIn('admin'))).body;
  expect(first).toMatchObject({ name: `admin@${new URL(provider.issuer).host}`, admin: false });
  const second = (await me(await signIn('admin#2'))).body;
  expect(second.admin).toBe(false);
  expect(second.id).not.toBe(first.id);
  expect((await me(await signIn('admin'))).body.id).toBe(first.id);
});

test('a disabled user is refused', async () => {
  const login = unique('bob');
  const { id } = (await me(await signIn(login))).body;
  await app.arrange('PATCH', `/v1/users/${id}`, { disabled: true });
  const answer = await signIn(login);
  expect(answer.status).toBe(401);
  expect(answer.body.message).toContain('disabled');
  expect(sessionOf(answer)).toBe('');
});

describe('a way back that does not fit is refused', () => {
  const tamper = (cookie: string, change: Record<string, string>) => {
    const [name, value] = cookie.split('=');
    const attempt = { ...JSON.parse(Buffer.from(value, 'base64url').toString()), ...change };
    return `${name}=${Buffer.from(JSON.stringify(attempt)).toString('base64url')}`;
  };

  test.each(['state', 'nonce', 'verifier'])('with another %s', async (part) => {
    const { back, cookie } = await leave(unique('eve'));
    const answer = await comeBack(back, tamper(cookie, { [part]: 'x'.repeat(43) }));
    expect(answer.status).toBe(401);
    expect(sessionOf(answer)).toBe('');
  });

  test('with another state in the address', async () => {
    const { back, cookie } = await leave(unique('eve'));
    back.searchParams.set('state', 'x');
    expect((await comeBack(back, cookie)).status).toBe(401);
  });

  test('with an invented code, or without any', async () => {
    const { back, cookie } = await leave(unique('eve'));
    const invented = new URL(back);
    invented.searchParams.set('code', 'invented');
    expect((await comeBack(invented, cookie)).status).toBe(401);
    expect((await comeBack(new URL('/auth/oidc/callback', back), cookie)).status).toBe(401);
  });

  test('in another browser, and a second time', async () => {
    const { back, cookie } = await leave(unique('eve'));
    expect((await comeBack(back, '')).status).toBe(401);
    expect((await comeBack(back, 'faultline_sign_in=garbage')).status).toBe(401);
    expect((await comeBack(back, cookie)).status).toBe(302);
    expect((await comeBack(back, cookie)).status).toBe(401);
  });

  test('when the person pressed cancel', async () => {
    const left = await app.request('GET', '/auth/oidc/login');
    const back = await provider.signIn(String(left.headers['location']), '', { cancel: true });
    const answer = await comeBack(back, String(left.headers['set-cookie']).split(';')[0]);
    expect(answer.status).toBe(401);
    expect(answer.body.message).toContain('start again');
  });

  test.each(['//evil.example', '/\\evil.example', 'https://evil.example', 'evil', '/a\nb', '/\t/evil.example', ''])(
    'and nobody is led to another site: %j',
    async (target) => {
      const { back, cookie } = await leave(unique('kim'), { query: `?return_to=${encodeURIComponent(target)}` });
      expect((await comeBack(back, tamper(cookie, { returnTo: target }))).headers['location']).toBe('/');
    },
  );
});

test('a provider that is down is 503 with a sentence, and the rest of the service works', async () => {
  const pair = await startPair(app.database);
  const { back, cookie } = await leave(unique('sam'), { on: pair });
  await pair.provider.stop();
  const late = await comeBack(back, cookie, pair.app);
  expect(late.status).toBe(503);
  const fresh = await startTestApp({
    database: app.database,
    config: { publicUrl, oidc: { issuer: pair.provider.issuer, clientId, clientSecret } },
  });
  const answer = await fresh.request('GET', '/auth/oidc/login');
  expect(answer.status).toBe(503);
  expect(answer.body.message).toContain(`The sign-in provider ${pair.provider.issuer} cannot be reached`);
  expect((await fresh.request('GET', '/api/ping')).status).toBe(200);
});

test('two first sign-ins of one person at once make one user', async () => {
  const login = unique('twin');
  const ways = [await leave(login), await leave(login)];
  const answers = await Promise.all(ways.map(({ back, cookie }) => comeBack(back, cookie)));
  expect(answers.map(({ status }) => status)).toEqual([302, 302]);
  const [one, two] = await Promise.all(answers.map(me));
  expect(one.body.id).toBe(two.body.id);
});
