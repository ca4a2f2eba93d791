import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { adminToken, createTestClock, startTestApp, type TestApp, unique } from '../../test/harness/app.ts';
import { openTestDatabase } from '../../test/harness/database.ts';
import { type Scope, scopes } from './access.ts';

let app: TestApp;
const clock = createTestClock();
const dayMs = 86_400_000;

beforeAll(async () => {
  app = await startTestApp({ clock });
});

const me = (token: string, on: TestApp = app) => on.request('GET', '/v1/users/me', { token });
const issue = (token: string, body: unknown) => app.request('POST', '/v1/users/me/tokens', { token, body });

async function person(granted: readonly Scope[] = scopes, expiresAt: string | null = null) {
  const user = await app.createUser();
  return { user, ...(await app.createToken(user.id, granted, expiresAt)) };
}

describe('at rest', () => {
  test('no row of any table contains the token', async () => {
    const { token } = await person();
    await app.request('POST', '/v1/session', { body: { token } });
    const secret = token.split('_').slice(2).join('_');
    const { rows: tables } = await app.database.pool.query<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'public'`,
    );
    expect(tables.map(({ name }) => name)).toContain('tokens');
    for (const { name } of tables) {
      const { rows } = await app.database.pool.query<{ line: string }>(`select t::text as line from "${name}" t`);
      const text = rows.map(({ line }) => line).join('\n');
      for (const form of [token, secret, Buffer.from(token).toString('hex'), Buffer.from(secret).toString('hex')]) {
        expect(text.includes(form), `table ${name}`).toBe(false);
      }
    }
  });

  test('the token is shown once: no later answer has it or its hash', async () => {
    const { token, id, prefix } = await person();
    const { body, text } = await app.request('GET', '/v1/users/me/tokens', { token });
    expect(body.tokens).toEqual([
      {
        id,
        name: expect.any(String),
        prefix,
        scopes: [...scopes],
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        expires_at: null,
        last_used_at: null,
      },
    ]);
    expect(text).not.toContain(token);
  });

  test('the right prefix with another secret is refused, also after the right one was seen', async () => {
    const { token, prefix } = await person();
    expect(token.startsWith(`flt_${prefix}_`)).toBe(true);
    const forged = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`;
    expect((await me(forged)).status).toBe(401);
    expect((await me(token)).status).toBe(200);
    expect((await me(forged)).status).toBe(401);
  });

  test.each([
    '',
    'Bearer',
    'Bearer ',
    'Basic YWRtaW46eA==',
    `Token ${adminToken}`,
    `Bearer ${adminToken} x`,
    `Bearer ${adminToken.toUpperCase()}`,
  ])('the header %j proves nothing', async (authorization) => {
    expect((await app.request('GET', '/v1/users/me', { headers: { authorization } })).status).toBe(401);
  });
});

describe('the end of a token', () => {
  test('it expires to the millisecond', async () => {
    const until = new Date(clock() + 10_000);
    const { token } = await person(scopes, until.toISOString());
    expect((await me(token)).status).toBe(200);
    clock.advance(9_999);
    expect((await me(token)).status).toBe(200);
    clock.advance(1);
    expect((await me(token)).status).toBe(401);
  });

  test('a revoked token stops at once', async () => {
    const { token, id } = await person();
    expect((await me(token)).status).toBe(200);
    expect((await app.request('DELETE', `/v1/users/me/tokens/${id}`, { token })).status).toBe(200);
    expect((await me(token)).status).toBe(401);
  });

  test('an administrator revokes for others, and nobody else does', async () => {
    const owner = await person();
    const stranger = await person();
    const answer = await app.request('DELETE', `/v1/users/me/tokens/${owner.id}`, { token: stranger.token });
    expect(answer.status).toBe(404);
    expect((await me(owner.token)).status).toBe(200);
    const mismatched = `/v1/users/${stranger.user.id}/tokens/${owner.id}`;
    expect((await app.request('DELETE', mismatched, { token: adminToken })).status).toBe(404);
    await app.arrange('DELETE', `/v1/users/${owner.user.id}/tokens/${owner.id}`);
    expect((await me(owner.token)).status).toBe(401);
  });

  test('revoked here, it stops within a second on another process', async () => {
    const here = await startTestApp({ database: app.database });
    const there = await startTestApp({ database: app.database });
    const { token, id, user } = await person();
    // Kept in use, so that nothing is forgotten for lack of use.
    expect((await me(token, there)).status).toBe(200);
    expect((await here.request('DELETE', `/v1/users/${user.id}/tokens/${id}`, { token: adminToken })).status).toBe(200);
    const revokedAt = Date.now();
    while (Date.now() - revokedAt < 1000) {
      await me(token, there);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect((await me(token, there)).status).toBe(401);
  });

  test("a disabled user's tokens answer 401 until the user is enabled again", async () => {
    const { token, user } = await person();
    expect((await me(token)).status).toBe(200);
    await app.arrange('PATCH', `/v1/users/${user.id}`, { disabled: true });
    expect((await me(token)).status).toBe(401);
    expect((await app.request('POST', '/v1/session', { body: { token } })).status).toBe(401);
    await app.arrange('PATCH', `/v1/users/${user.id}`, { disabled: false });
    expect((await me(token)).status).toBe(200);
  });
});

test('authentication costs no query per request', async () => {
  const { token } = await person();
  await me(token);
  const connect = vi.spyOn(app.database.pool, 'connect');
  onTestFinished(() => connect.mockRestore());
  for (let i = 0; i < 50; i++) await me(token);
  expect(connect).toHaveBeenCalledTimes(0);
  // Some hundred milliseconds later the revision is read again: once, whoever asks.
  clock.advance(500);
  await Promise.all(Array.from({ length: 50 }, () => me(token)));
  expect(connect.mock.calls.length).toBe(1);
});

describe('no token makes a wider one', () => {
  test('not in scopes', async () => {
    const { token } = await person(['Read', 'Write']);
    expect((await issue(token, { name: 'n', scopes: ['Read'] })).status).toBe(201);
    for (const wide of [['Service'], ['Admin'], ['Read', 'Admin']]) {
      const answer = await issue(token, { name: 'n', scopes: wide });
      expect(answer.status).toBe(403);
      expect(answer.body.message).toContain(wide.at(-1));
    }
  });

  test('not for longer, and without a time it ends with its maker', async () => {
    const until = new Date(clock() + dayMs).toISOString();
    const { token } = await person(scopes, until);
    const later = new Date(clock() + dayMs + 1).toISOString();
    expect((await issue(token, { name: 'n', scopes: ['Read'], expires_at: later })).status).toBe(403);
    for (const expires_at of [undefined, null]) {
      const answer = await issue(token, { name: 'n', scopes: ['Read'], expires_at });
      expect(answer).toMatchObject({ status: 201, body: { expires_at: until } });
    }
  });

  test('not for others either', async () => {
    const admin = await app.createUser(unique('admin'), true);
    const { token } = await app.createToken(admin.id, ['Admin', 'Read']);
    const other = await app.createUser();
    const give = (granted: Scope[]) =>
      app.request('POST', `/v1/users/${other.id}/tokens`, { token, body: { name: 'n', scopes: granted } });
    expect((await give(['Read'])).status).toBe(201);
    expect((await give(['Write'])).status).toBe(403);
  });

  test('not through a session', async () => {
    const { token } = await person(['Read', 'Write']);
    const signedIn = await app.request('POST', '/v1/session', { body: { token } });
    const headers = {
      cookie: String(signedIn.headers['set-cookie']).split(';')[0],
      'x-csrf-token': signedIn.body.csrf_token,
    };
    const make = (granted: Scope[]) =>
      app.request('POST', '/v1/users/me/tokens', { headers, body: { name: 'n', scopes: granted } });
    expect((await make(['Read'])).status).toBe(201);
    expect((await make(['Admin'])).status).toBe(403);
  });
});

describe('making one', () => {
  test('the answer for oneself and for others has the same fields', async () => {
    const { token, user } = await person();
    const body = { name: 'n', scopes: ['Read', 'Read'], expires_at: new Date(clock() + dayMs).toISOString() };
    const mine = await issue(token, body);
    const theirs = await app.request('POST', `/v1/users/${user.id}/tokens`, { token: adminToken, body });
    expect(mine.status).toBe(201);
    expect(Object.keys(mine.body).toSorted()).toEqual(Object.keys(theirs.body).toSorted());
    expect(mine.body).toMatchObject({ name: 'n', scopes: ['Read'], expires_at: body.expires_at });
    expect((await me(mine.body.token)).body.scopes).toEqual(['Read']);
  });

  test('a time that has passed, no scope, an unknown scope and an unknown user are refused', async () => {
    const past = new Date(clock() - 1).toISOString();
    expect((await issue(adminToken, { name: 'n', scopes: ['Read'], expires_at: past })).status).toBe(400);
    expect((await issue(adminToken, { name: 'n', scopes: [] })).status).toBe(400);
    expect((await issue(adminToken, { name: 'n', scopes: ['Root'] })).status).toBe(400);
    for (const id of ['00000000-0000-4000-8000-000000000000', 'nobody']) {
      const url = `/v1/users/${id}/tokens`;
      const body = { name: 'n', scopes: ['Read'] };
      expect((await app.request('POST', url, { token: adminToken, body })).status).toBe(404);
      expect((await app.request('GET', url, { token: adminToken })).status).toBe(404);
    }
  });
});

test('when a token was last used is written in the end', async () => {
  const { token, user } = await person();
  const other = await startTestApp({ database: app.database, clock });
  await me(token, other);
  await other.close();
  const { tokens } = await app.arrange('GET', `/v1/users/${user.id}/tokens`);
  expect(tokens[0].last_used_at).toBe(new Date(clock()).toISOString());
});

describe('the first start', () => {
  test('two processes on an empty database make one administrator, and a printed secret signs in', async () => {
    const database = await openTestDatabase();
    const config = { adminToken: undefined };
    const [first, second] = await Promise.all([startTestApp({ database, config }), startTestApp({ database, config })]);
    const secret = first.signInSecret ?? second.signInSecret;
    expect(secret).toBeDefined();
    const signedIn = await first.request('POST', '/v1/session', { body: { token: secret } });
    expect(signedIn).toMatchObject({ status: 201, body: { user: { name: 'admin', admin: true } } });
    const users = await database.db.selectFrom('users').select('name').execute();
    expect(users).toEqual([{ name: 'admin' }]);
  });

  test('FAULTLINE_ADMIN_TOKEN is that token, and a changed one replaces the former', async () => {
    const old = 'the-former-admin-token';
    const before = await startTestApp({ database: app.database, config: { adminToken: old } });
    expect((await me(old, before)).body).toMatchObject({ name: 'admin', admin: true, scopes: [...scopes] });
    const after = await startTestApp({ database: app.database });
    expect((await me(adminToken, after)).status).toBe(200);
    expect((await me(old, after)).status).toBe(401);
  });
});
