import { beforeAll, describe, expect, test } from 'vitest';
import { adminToken, startTestApp, type TestApp, unique } from '../../test/harness/app.ts';

let app: TestApp;
let adminId: string;
const token = adminToken;

beforeAll(async () => {
  app = await startTestApp();
  adminId = (await app.request('GET', '/v1/users/me', { token })).body.id;
});

const audit = async (query = '') => (await app.request('GET', `/v1/audit${query}`, { token })).body;
const newest = async () => (await audit('?limit=1')).entries[0];

test('the first start is written down as the work of the system', async () => {
  const { entries } = await audit('?user=system');
  expect(entries.map((entry: { action: string }) => entry.action).toSorted()).toEqual(['token.create', 'user.create']);
  expect(entries[0]).toMatchObject({ user_id: null, address: null, request_id: null });
});

describe('every kind of change says who, what, when and from where', () => {
  // Each returns what the entry must say; they run in order and share their things.
  const team = { id: '', name: '' };
  const user = { id: '', name: '' };
  const made = { tokenId: '', newsId: '' };
  type Step = [
    action: string,
    act: () => Promise<{ method: string; url: string; body?: unknown; after?: (body: never) => void }>,
    entry: () => object,
  ];
  const steps: Step[] = [
    [
      'user.create',
      async () => ({
        method: 'POST',
        url: '/v1/users',
        body: { name: unique('user') },
        after: (body) => Object.assign(user, body),
      }),
      () => ({ target: `user ${user.id}`, details: { name: user.name, admin: false } }),
    ],
    [
      'user.update',
      async () => ({ method: 'PATCH', url: `/v1/users/${user.id}`, body: { disabled: false } }),
      () => ({ target: `user ${user.id}`, details: { is_disabled: false } }),
    ],
    [
      'token.create',
      async () => ({
        method: 'POST',
        url: `/v1/users/${user.id}/tokens`,
        body: { name: 'ci', scopes: ['Read'] },
        after: (body: { id: string }) => void (made.tokenId = body.id),
      }),
      () => ({ target: `token ${made.tokenId}`, details: { user: user.id, name: 'ci', scopes: ['Read'] } }),
    ],
    [
      'token.revoke',
      async () => ({ method: 'DELETE', url: `/v1/users/${user.id}/tokens/${made.tokenId}` }),
      () => ({ target: `token ${made.tokenId}`, details: { user: user.id, name: 'ci' } }),
    ],
    [
      'team.create',
      async () => ({
        method: 'POST',
        url: '/v1/teams',
        body: { name: unique('team') },
        after: (body) => Object.assign(team, body),
      }),
      () => ({ target: `team ${team.id}`, team_id: team.id, details: { name: team.name } }),
    ],
    [
      'team.rename',
      async () => ({ method: 'PATCH', url: `/v1/teams/${team.id.toUpperCase()}`, body: { name: `${team.name} 2` } }),
      () => ({ target: `team ${team.id}`, team_id: team.id, details: { name: `${team.name} 2` } }),
    ],
    [
      'team.grants',
      async () => ({
        method: 'PUT',
        url: `/v1/teams/${team.id}/grants`,
        body: { grants: [{ user: user.name, role: 'editor' }] },
      }),
      () => ({
        target: `team ${team.id}`,
        team_id: team.id,
        details: { grants: [{ user: user.name, role: 'editor' }] },
      }),
    ],
    [
      'team.delete',
      async () => ({ method: 'DELETE', url: `/v1/teams/${team.id}` }),
      () => ({ target: `team ${team.id}`, team_id: team.id, details: { name: `${team.name} 2` } }),
    ],
    [
      'news.create',
      async () => ({
        method: 'POST',
        url: '/v1/news',
        body: { title: 'a', message: 'm' },
        after: (body: { id: string }) => void (made.newsId = body.id),
      }),
      () => ({ target: `news ${made.newsId}`, details: { title: 'a' } }),
    ],
    [
      'news.update',
      async () => ({ method: 'PATCH', url: `/v1/news/${made.newsId}`, body: { title: 'b' } }),
      () => ({ target: `news ${made.newsId}`, details: { title: 'b' } }),
    ],
    [
      'news.delete',
      async () => ({ method: 'DELETE', url: `/v1/news/${made.newsId}` }),
      () => ({ target: `news ${made.newsId}`, details: { title: 'b' } }),
    ],
  ];

  test.each(steps)('%s', async (action, act, entry) => {
    const { method, url, body, after } = await act();
    const requestId = unique('request').replace(' ', '-');
    const before = Date.now();
    const headers = { 'x-request-id': requestId };
    const answer = await app.request(method, url, { token, body, headers, remoteAddress: '192.0.2.7' });
    expect(answer.status).toBeLessThan(300);
    after?.(answer.body as never); // each step knows the shape of its own answer
    const found = await newest();
    expect(found).toMatchObject({
      action,
      user: 'admin',
      user_id: adminId,
      address: '192.0.2.7',
      request_id: requestId,
      team_id: null,
      ...entry(),
    });
    // Database and test run on one machine.
    expect(Date.parse(found.at)).toBeGreaterThanOrEqual(before - 1000);
    expect(Date.parse(found.at)).toBeLessThanOrEqual(Date.now() + 1000);
  });

  test('session.create and session.delete', async () => {
    const signedIn = await app.request('POST', '/v1/session', { body: { token }, remoteAddress: '192.0.2.8' });
    expect(await newest()).toMatchObject({ action: 'session.create', user: 'admin', address: '192.0.2.8' });
    const cookie = String(signedIn.headers['set-cookie']).split(';')[0];
    const headers = { cookie, 'x-csrf-token': signedIn.body.csrf_token };
    await app.request('DELETE', '/v1/session', { headers });
    expect(await newest()).toMatchObject({ action: 'session.delete', user: 'admin' });
  });
});

test('what was refused or failed leaves no entry', async () => {
  const { id } = await newest();
  await app.request('POST', '/v1/users', { token, body: { name: 'admin' } });
  await app.request('PATCH', `/v1/users/${adminId}`, { token, body: { disabled: true } });
  const team = await app.createTeam();
  const grants = [{ user: 'nobody at all', role: 'member' }];
  await app.request('PUT', `/v1/teams/${team.id}/grants`, { token, body: { grants } });
  const { entries } = await audit();
  const since = entries.filter((entry: { id: number }) => entry.id > id);
  expect(since.map((entry: { action: string }) => entry.action)).toEqual(['team.create']);
});

test('no entry contains a token', async () => {
  const user = await app.createUser();
  const created = await app.createToken(user.id);
  expect(JSON.stringify(await audit('?limit=1000'))).not.toContain(created.token);
});

describe('reading', () => {
  test('newest first, page by page, without gap or repetition', async () => {
    for (let i = 0; i < 7; i++) await app.createTeam();
    const all = (await audit('?limit=1000')).entries.map((entry: { id: number }) => entry.id);
    expect(all).toEqual(all.toSorted((a: number, b: number) => b - a));
    const paged: number[] = [];
    let query = '?limit=3';
    for (;;) {
      const page = await audit(query);
      expect(page.entries.length).toBeLessThanOrEqual(3);
      paged.push(...page.entries.map((entry: { id: number }) => entry.id));
      if (page.next_before === null) break;
      query = `?limit=3&before=${page.next_before}`;
    }
    expect(paged).toEqual(all);
  });

  test('by action, by user and by team', async () => {
    const team = await app.createTeam();
    await app.arrange('PATCH', `/v1/teams/${team.id}`, { name: unique('renamed') });
    const byTeam = await audit(`?team_id=${team.id}`);
    expect(byTeam.entries.map((entry: { action: string }) => entry.action)).toEqual(['team.rename', 'team.create']);
    expect((await audit(`?team_id=${team.id}&action=team.create`)).entries).toHaveLength(1);
    expect((await audit('?user=nobody-at-all')).entries).toEqual([]);
    expect((await audit('?team_id=not-a-uuid')).entries).toEqual([]);
    expect(await audit('?limit=0')).toEqual({ entries: [], next_before: null });
  });
});
