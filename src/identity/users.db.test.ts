import { beforeAll, describe, expect, test } from 'vitest';
import { adminToken, startTestApp, type TestApp, unique } from '../../test/harness/app.ts';

let app: TestApp;
let adminId: string;
const token = adminToken;
const seconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

beforeAll(async () => {
  app = await startTestApp();
  adminId = (await app.request('GET', '/v1/users/me', { token })).body.id;
});

describe('users', () => {
  test('the list has id, name and both times of every user, by name', async () => {
    const name = unique('aaa');
    const { id } = await app.createUser(name);
    const { body } = await app.request('GET', '/v1/users', { token });
    expect(Object.keys(body)).toEqual(['users']);
    expect(body.users).toContainEqual({
      id,
      name,
      createdAt: expect.stringMatching(seconds),
      updatedAt: expect.stringMatching(seconds),
    });
    const names = body.users.map((user: { name: string }) => user.name);
    expect(names.indexOf(name)).toBeLessThan(names.indexOf('admin'));
  });

  test('me is the same plus admin, scopes and grants by team name', async () => {
    const user = await app.createUser();
    const team = await app.createTeam();
    await app.grant(team.id, user.name, 'editor');
    const mine = await app.createToken(user.id, ['Read', 'Service']);
    const { body } = await app.request('GET', '/v1/users/me', { token: mine.token });
    expect(body).toEqual({
      id: user.id,
      name: user.name,
      createdAt: expect.stringMatching(seconds),
      updatedAt: expect.stringMatching(seconds),
      admin: false,
      scopes: ['Read', 'Service'],
      grants: { [team.name]: 'editor' },
    });
  });

  test('a name is taken once', async () => {
    const name = unique('once');
    const answers = await Promise.all([1, 2, 3].map(() => app.request('POST', '/v1/users', { token, body: { name } })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409]);
  });

  test('names have up to 255 characters, whatever their width in bytes', async () => {
    const status = async (name: string) => (await app.request('POST', '/v1/users', { token, body: { name } })).status;
    expect(await status('😀'.repeat(255))).toBe(201);
    expect(await status('😀'.repeat(256))).toBe(400);
    expect(await status('')).toBe(400);
  });

  test('an unknown or malformed id is 404, an empty change 400', async () => {
    const change = (id: string, body: unknown) => app.request('PATCH', `/v1/users/${id}`, { token, body });
    expect((await change('00000000-0000-4000-8000-000000000000', { admin: true })).status).toBe(404);
    expect((await change('x', { admin: true })).status).toBe(404);
    expect((await change(adminId, {})).status).toBe(400);
    expect((await change(adminId, { admin: 'yes' })).status).toBe(400);
  });

  test('a change moves updatedAt, never before createdAt', async () => {
    const { id } = await app.createUser();
    const { body } = await app.request('PATCH', `/v1/users/${id}`, { token, body: { disabled: true } });
    expect(body).toMatchObject({ admin: false, disabled: true });
    expect(Date.parse(body.updatedAt)).toBeGreaterThanOrEqual(Date.parse(body.createdAt));
    const row = await app.database.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    expect(row.updated_at.getTime()).toBeGreaterThan(row.created_at.getTime());
  });
});

describe('the last administrator', () => {
  const change = (id: string, body: unknown) => app.request('PATCH', `/v1/users/${id}`, { token, body });

  test('cannot be disabled or made a plain user', async () => {
    for (const body of [{ disabled: true }, { admin: false }, { admin: false, disabled: true }]) {
      expect((await change(adminId, body)).status).toBe(409);
    }
    expect((await app.request('GET', '/v1/users/me', { token })).body.admin).toBe(true);
  });

  test('cannot be removed under another spelling of the id', async () => {
    expect((await change(adminId.toUpperCase(), { disabled: true })).status).toBe(409);
    expect((await app.request('GET', '/v1/users/me', { token })).status).toBe(200);
  });

  test('a disabled administrator does not count', async () => {
    const other = await app.createUser(unique('admin'), true);
    await app.arrange('PATCH', `/v1/users/${other.id}`, { disabled: true });
    expect((await change(adminId, { admin: false })).status).toBe(409);
  });

  test('two who remove each other at once leave one', async () => {
    for (let round = 0; round < 5; round++) {
      const other = await app.createUser(unique('admin'), true);
      const theirs = await app.createToken(other.id);
      const [one, two] = await Promise.all([
        app.request('PATCH', `/v1/users/${adminId}`, { token: theirs.token, body: { disabled: true } }),
        app.request('PATCH', `/v1/users/${other.id}`, { token, body: { disabled: true } }),
      ]);
      const rows = await app.database.db
        .selectFrom('users')
        .select('id')
        .where('is_admin', '=', true)
        .where('is_disabled', '=', false)
        .execute();
      expect(rows).toHaveLength(1);
      expect([one.status, two.status]).toContain(200);
      // Whoever is left puts things right for the next round.
      const survivor = rows[0].id === adminId ? token : theirs.token;
      const restore = { token: survivor, body: { disabled: false } };
      await app.request('PATCH', `/v1/users/${adminId}`, restore);
      await app.arrange('PATCH', `/v1/users/${other.id}`, { admin: false });
    }
  });
});

describe('teams', () => {
  test('everybody sees their own, an administrator sees all', async () => {
    const [mine, other] = [await app.createTeam(), await app.createTeam()];
    const user = await app.createUser();
    await app.grant(mine.id, user.name, 'member');
    const { token: theirs } = await app.createToken(user.id);
    const seen = await app.request('GET', '/v1/teams', { token: theirs });
    expect(seen.body.teams.map((team: { id: string }) => team.id)).toEqual([mine.id]);
    const all = await app.request('GET', '/v1/teams', { token });
    const ids = all.body.teams.map((team: { id: string }) => team.id);
    expect(ids).toEqual(expect.arrayContaining([mine.id, other.id]));
  });

  test('a name is taken once, also by renaming', async () => {
    const [first, second] = [await app.createTeam(), await app.createTeam()];
    expect((await app.request('POST', '/v1/teams', { token, body: { name: first.name } })).status).toBe(409);
    const rename = await app.request('PATCH', `/v1/teams/${second.id}`, { token, body: { name: first.name } });
    expect(rename.status).toBe(409);
    const same = await app.request('PATCH', `/v1/teams/${second.id}`, { token, body: { name: second.name } });
    expect(same.status).toBe(200);
  });

  test('a renamed team has its new name in the grants at once', async () => {
    const team = await app.createTeam();
    const user = await app.createUser();
    await app.grant(team.id, user.name, 'manager');
    const theirs = await app.createToken(user.id);
    const name = unique('renamed');
    expect((await app.request('PATCH', `/v1/teams/${team.id}`, { token: theirs.token, body: { name } })).status).toBe(
      200,
    );
    const { body } = await app.request('GET', '/v1/users/me', { token: theirs.token });
    expect(body.grants).toEqual({ [name]: 'manager' });
  });

  test('a deleted team is gone, and so are its grants', async () => {
    const team = await app.createTeam();
    const user = await app.createUser();
    await app.grant(team.id, user.name, 'member');
    const theirs = await app.createToken(user.id);
    expect((await app.request('GET', `/v1/teams/${team.id}`, { token: theirs.token })).status).toBe(200);
    expect((await app.request('DELETE', `/v1/teams/${team.id}`, { token })).body).toEqual({});
    expect((await app.request('GET', `/v1/teams/${team.id}`, { token: theirs.token })).status).toBe(404);
    expect((await app.request('DELETE', `/v1/teams/${team.id}`, { token })).status).toBe(404);
    expect((await app.request('GET', '/v1/users/me', { token: theirs.token })).body.grants).toEqual({});
  });
});

describe('grants', () => {
  test('PUT replaces them all', async () => {
    const team = await app.createTeam();
    const [ada, bob] = [await app.createUser(unique('ada')), await app.createUser(unique('bob'))];
    const put = (grants: unknown) => app.request('PUT', `/v1/teams/${team.id}/grants`, { token, body: { grants } });
    const first = [
      { user: ada.name, role: 'member' },
      { user: bob.name, role: 'manager' },
    ];
    expect((await put(first)).body).toEqual({ grants: first });
    const second = [{ user: bob.name, role: 'editor' }];
    expect((await put(second)).body).toEqual({ grants: second });
    expect((await app.request('GET', `/v1/teams/${team.id}/grants`, { token })).body).toEqual({ grants: second });
    expect((await put([])).body).toEqual({ grants: [] });
  });

  test('they hold at once', async () => {
    const team = await app.createTeam();
    const user = await app.createUser();
    const theirs = await app.createToken(user.id);
    const read = async () => (await app.request('GET', `/v1/teams/${team.id}`, { token: theirs.token })).status;
    expect(await read()).toBe(403);
    await app.grant(team.id, user.name, 'member');
    expect(await read()).toBe(200);
    await app.arrange('PUT', `/v1/teams/${team.id}/grants`, { grants: [] });
    expect(await read()).toBe(403);
  });

  test('an unknown user is a 400 that names it, and nothing is changed', async () => {
    const team = await app.createTeam();
    const user = await app.createUser();
    await app.grant(team.id, user.name, 'member');
    const grants = [
      { user: user.name, role: 'manager' },
      { user: 'nobody at all', role: 'member' },
    ];
    const answer = await app.request('PUT', `/v1/teams/${team.id}/grants`, { token, body: { grants } });
    expect(answer).toMatchObject({ status: 400, body: { details: [{ path: 'grants.1.user' }] } });
    expect(answer.body.message).toContain('nobody at all');
    const after = await app.request('GET', `/v1/teams/${team.id}/grants`, { token });
    expect(after.body.grants).toEqual([{ user: user.name, role: 'member' }]);
  });

  test('a user named twice is a 400', async () => {
    const team = await app.createTeam();
    const grants = [
      { user: 'admin', role: 'member' },
      { user: 'admin', role: 'editor' },
    ];
    expect((await app.request('PUT', `/v1/teams/${team.id}/grants`, { token, body: { grants } })).status).toBe(400);
  });

  test('replacements at the same time do not mix', async () => {
    const team = await app.createTeam();
    const users = await Promise.all(Array.from({ length: 4 }, () => app.createUser()));
    const sets = [users.slice(0, 2), users.slice(2)].map((set) =>
      set.map(({ name }) => ({ user: name, role: 'member' })),
    );
    await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        app.request('PUT', `/v1/teams/${team.id}/grants`, { token, body: { grants: sets[i % 2] } }),
      ),
    );
    const { body } = await app.request('GET', `/v1/teams/${team.id}/grants`, { token });
    const byName = (grants: { user: string }[]) => grants.map(({ user }) => user).toSorted();
    expect(sets.map(byName)).toContainEqual(byName(body.grants));
  });

  test('a team that is deleted meanwhile is 404, not a fault of the server', async () => {
    const user = await app.createUser();
    for (let round = 0; round < 5; round++) {
      const team = await app.createTeam();
      const body = { grants: [{ user: user.name, role: 'member' }] };
      const [put] = await Promise.all([
        app.request('PUT', `/v1/teams/${team.id}/grants`, { token, body }),
        app.request('DELETE', `/v1/teams/${team.id}`, { token }),
      ]);
      expect([200, 404]).toContain(put.status);
    }
  });
});
