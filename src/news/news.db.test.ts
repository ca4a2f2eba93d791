import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { adminToken, startTestApp, type TestApp, unique } from '../../test/harness/app.ts';

let app: TestApp;
const token = adminToken;
const seconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const unknownIds = ['00000000-0000-4000-8000-000000000000', 'x', '%00', '1', 'undefined'];

beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  await app.database.db.deleteFrom('news').execute();
});

async function reader(): Promise<string> {
  const user = await app.createUser();
  return (await app.createToken(user.id, ['Read', 'Write'])).token;
}

const titles = async (as: string, query = ''): Promise<string[]> =>
  (await app.request('GET', `/v1/news${query}`, { token: as })).body.news.map((item: { title: string }) => item.title);

const read = (id: string, as: string) => app.request('GET', `/v1/news/${id}`, { token: as });

describe('the shape', () => {
  test('an item has exactly the five fields of the interface, times to the second with Z', async () => {
    const body = { title: 'Title', message: 'Two\nlines\tand 😀' };
    const created = await app.request('POST', '/v1/news', { token, body });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/),
      createdAt: expect.stringMatching(seconds),
      updatedAt: expect.stringMatching(seconds),
      ...body,
    });
    expect(created.headers['content-type']).toBe('application/json; charset=utf-8');
    expect((await read(created.body.id, token)).body).toEqual(created.body);
    expect((await app.request('GET', '/v1/news', { token })).body).toEqual({ news: [created.body] });
  });

  test('without news the list is empty', async () => {
    expect((await app.request('GET', '/v1/news', { token })).body).toEqual({ news: [] });
    expect((await app.request('GET', '/v1/news?unread', { token })).body).toEqual({ news: [] });
  });
});

describe('the list', () => {
  test('newest first, all unless told', async () => {
    for (let i = 1; i <= 30; i++) await app.createNews(`n${i}`);
    const expected = Array.from({ length: 30 }, (_, i) => `n${30 - i}`);
    expect(await titles(token)).toEqual(expected);
    expect(await titles(token, '?limit=3')).toEqual(['n30', 'n29', 'n28']);
    expect(await titles(token, '?limit=0')).toEqual([]);
    expect(await titles(token, '?limit=99999999999999999999')).toHaveLength(30);
  });

  test('a change does not move an item', async () => {
    const { id } = await app.createNews('old');
    await app.createNews('new');
    await app.arrange('PATCH', `/v1/news/${id}`, { title: 'old, changed' });
    expect(await titles(token)).toEqual(['new', 'old, changed']);
  });

  test('items of the same moment keep one order', async () => {
    const rows = Array.from({ length: 10 }, (_, i) => ({ title: `t${i}`, message: 'm', created_at: new Date(0) }));
    await app.database.db.insertInto('news').values(rows).execute();
    const first = await titles(token);
    for (let limit = 1; limit <= 10; limit++)
      expect(await titles(token, `?limit=${limit}`)).toEqual(first.slice(0, limit));
  });

  test('unread is applied before the limit', async () => {
    const me = await reader();
    const items = [await app.createNews('a'), await app.createNews('b'), await app.createNews('c')];
    await read(items[2].id, me);
    expect(await titles(me, '?unread=true&limit=2')).toEqual(['b', 'a']);
    expect(await titles(me, '?unread=false&limit=2')).toEqual(['c', 'b']);
  });
});

describe('read marks', () => {
  test('reading one item marks it for the reader alone', async () => {
    const [ada, bob] = [await reader(), await reader()];
    const { id } = await app.createNews('a');
    await app.createNews('b');
    expect(await titles(ada, '?unread')).toEqual(['b', 'a']);
    expect((await read(id, ada)).status).toBe(200);
    expect((await read(id.toUpperCase(), ada)).status).toBe(200);
    expect(await titles(ada, '?unread')).toEqual(['b']);
    expect(await titles(ada)).toEqual(['b', 'a']);
    expect(await titles(bob, '?unread')).toEqual(['b', 'a']);
  });

  test('listing marks nothing', async () => {
    const me = await reader();
    await app.createNews('a');
    await titles(me);
    expect(await titles(me, '?unread')).toEqual(['a']);
  });

  test('DELETE marks all for the caller alone, again and again, and later news are unread', async () => {
    const [ada, bob] = [await reader(), await reader()];
    await app.createNews('a');
    await app.createNews('b');
    for (let i = 0; i < 2; i++) {
      const answer = await app.request('DELETE', '/v1/news', { token: ada });
      expect(answer).toMatchObject({ status: 200, body: {} });
    }
    expect(await titles(ada, '?unread')).toEqual([]);
    expect(await titles(ada)).toEqual(['b', 'a']);
    expect(await titles(bob, '?unread')).toEqual(['b', 'a']);
    await app.createNews('c');
    expect(await titles(ada, '?unread')).toEqual(['c']);
  });

  test('all credentials of a user share them', async () => {
    const user = await app.createUser();
    const [one, two] = [await app.createToken(user.id), await app.createToken(user.id)];
    const { id } = await app.createNews('a');
    await read(id, one.token);
    expect(await titles(two.token, '?unread')).toEqual([]);
  });

  test('a changed item stays read', async () => {
    const me = await reader();
    const { id } = await app.createNews('a');
    await read(id, me);
    await app.arrange('PATCH', `/v1/news/${id}`, { title: 'b' });
    expect(await titles(me, '?unread')).toEqual([]);
  });

  test('many readings of one item at once are harmless', async () => {
    const me = await reader();
    const { id } = await app.createNews('a');
    const answers = await Promise.all(Array.from({ length: 20 }, () => read(id, me)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });
});

describe('writing', () => {
  test('titles have up to 100 characters, counted as people count', async () => {
    const status = async (title: string) =>
      (await app.request('POST', '/v1/news', { token, body: { title, message: 'm' } })).status;
    for (const character of ['x', 'é', '😀', '𝔸']) {
      expect(await status(character.repeat(100)), character).toBe(201);
      expect(await status(character.repeat(101)), character).toBe(400);
    }
    expect(await titles(token)).toContain('😀'.repeat(100));
    expect(await status('')).toBe(400);
    expect(await status('two\nlines')).toBe(400);
  });

  test('both fields are needed for a new item, at least one for a change', async () => {
    const { id } = await app.createNews();
    for (const body of [{ title: 't' }, { message: 'm' }, {}, { title: null, message: 'm' }]) {
      expect((await app.request('POST', '/v1/news', { token, body })).status).toBe(400);
    }
    for (const body of [{}, { other: 1 }, { title: null }, { title: 'x'.repeat(101) }]) {
      expect((await app.request('PATCH', `/v1/news/${id}`, { token, body })).status).toBe(400);
    }
  });

  test('PATCH changes what it names, and the new text is read at once, here and elsewhere', async () => {
    const elsewhere = await startTestApp({ database: app.database });
    const { id } = await app.createNews('before', 'kept');
    await read(id, token);
    await elsewhere.request('GET', `/v1/news/${id}`, { token });
    const { body } = await app.request('PATCH', `/v1/news/${id}`, { token, body: { title: 'after' } });
    expect(body).toMatchObject({ id, title: 'after', message: 'kept' });
    expect(Date.parse(body.updatedAt)).toBeGreaterThanOrEqual(Date.parse(body.createdAt));
    expect((await read(id, token)).body).toEqual(body);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect((await elsewhere.request('GET', `/v1/news/${id}`, { token })).body).toEqual(body);
  });

  test('DELETE removes the item for everybody', async () => {
    const { id } = await app.createNews();
    await read(id, token);
    expect(await app.request('DELETE', `/v1/news/${id}`, { token })).toMatchObject({ status: 200, body: {} });
    expect((await read(id, token)).status).toBe(404);
    expect((await app.request('DELETE', `/v1/news/${id}`, { token })).status).toBe(404);
    expect(await titles(token)).toEqual([]);
  });

  test('reading while the item is deleted is 200 or 404, nothing else', async () => {
    for (let round = 0; round < 10; round++) {
      const { id } = await app.createNews(unique('short-lived'));
      const me = await reader();
      const [one, all] = await Promise.all([
        read(id, me),
        app.request('DELETE', '/v1/news', { token: me }),
        app.request('DELETE', `/v1/news/${id}`, { token }),
      ]);
      expect([200, 404]).toContain(one.status);
      expect(all.status).toBe(200);
    }
  });
});

test.each(unknownIds)('the id %s is 404 for reading, changing and deleting', async (id) => {
  expect((await read(id, token)).status).toBe(404);
  expect((await app.request('PATCH', `/v1/news/${id}`, { token, body: { title: 't' } })).status).toBe(404);
  expect((await app.request('DELETE', `/v1/news/${id}`, { token })).status).toBe(404);
});
