import type { lookup } from 'node:dns';
import { gunzipSync } from 'node:zlib';
import { pino } from 'pino';
import { beforeAll, describe, expect, test } from 'vitest';
import { adminToken, startTestApp, type TestApp, unique } from '../../../test/harness/app.ts';
import { builtInModels } from './built-in-models.ts';
import { passwordKeys } from './config-values.ts';
import { passwordPlaceholder } from './integrations.schemas.ts';
import { startHttpStub } from './testing/http-stub.ts';

let app: TestApp;
let teamId: string;
const logged: string[] = [];

beforeAll(async () => {
  const log = pino({ level: 'trace' }, { write: (line) => void logged.push(line) });
  app = await startTestApp({ config: { outboundAllow: ['127.0.0.1'] }, log });
  teamId = (await app.createTeam()).id;
});

const send = (method: string, url: string, body?: unknown) => app.request(method, url, { token: adminToken, body });
const create = (model: string, config: object, name = unique(model)) =>
  send('POST', `/v1/teams/${teamId}/integrations`, { name, model, config });
const prometheus = { url: 'https://prometheus.example.com' };

describe('models', () => {
  test('are sorted by name and each has a schema that its own defaults come from', async () => {
    const { body } = await send('GET', '/integration/models');
    const names = body.map(({ name }: { name: string }) => name);
    expect(names).toEqual(names.toSorted());
    expect(names).toEqual(expect.arrayContaining(['prometheus', 'opentsdb', 'warp10', 'influxdb', 'ndjson-url']));
    for (const { config_schema, default_config, builtin } of body.filter((one: { builtin: boolean }) => one.builtin)) {
      expect(builtin).toBe(true);
      expect(config_schema).toMatchObject({ $schema: expect.stringContaining('2020-12'), additionalProperties: false });
      expect(Object.keys(config_schema.properties)).toEqual(Object.keys(default_config));
    }
    expect((await send('GET', '/integration/models/prometheus')).body).toMatchObject({
      name: 'prometheus',
      builtin: true,
      disabled: false,
      capabilities: ['metrics', 'protocol:prometheus'],
      default_config: {
        url: { value: '', type: 'string' },
        password: { value: '', type: 'password' },
        step_seconds: { value: 60, type: 'number' },
      },
    });
    expect((await send('GET', '/integration/models/nobody')).status).toBe(404);
    expect((await send('GET', '/integration/models/%00')).status).toBe(404);
  });

  test('that are built in can be switched off and on, but neither changed nor deleted', async () => {
    const whole = { title: 'Mine', default_config: {} };
    expect((await send('PUT', '/integration/models/opentsdb', whole)).status).toBe(409);
    expect((await send('DELETE', '/integration/models/opentsdb')).status).toBe(409);
    expect((await send('POST', '/integration/models', { name: 'opentsdb' })).status).toBe(409);
    expect((await send('PUT', '/integration/models/opentsdb', { disabled: true })).body).toMatchObject({
      disabled: true,
    });
    expect((await create('opentsdb', prometheus)).status).toBe(409);
    await send('PUT', '/integration/models/opentsdb', { disabled: false });
    expect((await create('opentsdb', prometheus)).status).toBe(201);
  });

  test('that administrators add are used like the others, and kept while somebody uses them', async () => {
    const model = {
      name: 'thanos',
      title: 'Thanos',
      capabilities: ['metrics', 'protocol:prometheus'],
      default_config: {
        url: { type: 'string', value: 'https://thanos.example.com' },
        token: { type: 'password', description: 'Yours' },
      },
    };
    const created = await send('POST', '/integration/models', model);
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ builtin: false, default_config: { token: { value: '' } } });
    expect((await send('POST', '/integration/models', model)).status).toBe(409);
    const mine = await create('thanos', { token: 'abc' });
    expect(mine.body.config).toEqual({ url: 'https://thanos.example.com', token: passwordPlaceholder });
    expect((await send('DELETE', '/integration/models/thanos')).status).toBe(409);
    const bared = { ...model, default_config: { url: { type: 'string' }, token: { type: 'string' } } };
    expect((await send('PUT', '/integration/models/thanos', bared)).status).toBe(409);
    expect((await send('PUT', '/integration/models/thanos', { ...model, title: 'New' })).body.title).toBe('New');
    await send('DELETE', `/v1/teams/${teamId}/integrations/${mine.body.id}`);
    expect((await send('DELETE', '/integration/models/thanos')).status).toBe(200);
    expect((await send('GET', '/integration/models/thanos')).status).toBe(404);
  });

  test('with a password in them, or a schema that cannot be used, are refused', async () => {
    const add = (model: object) => send('POST', '/integration/models', { name: 'bad', ...model });
    expect((await add({ default_config: { key: { type: 'password', value: 'x' } } })).status).toBe(400);
    expect((await add({ default_config: { key: { type: 'number', value: 'x' } } })).status).toBe(400);
    expect((await add({ config_schema: { type: 'nonsense' } })).body.details[0].path).toBe('config_schema.type');
    expect((await add({ config_schema: { $ref: 'https://example.com/x' } })).status).toBe(400);
    expect((await add({ config_schema: { title: '\0' } })).status).toBe(400);
    const deep = `${'{"not":'.repeat(50_000)}{}${'}'.repeat(50_000)}`;
    const text = `{"name":"deep","config_schema":${deep}}`;
    expect((await app.request('POST', '/integration/models', { token: adminToken, text })).status).toBe(400);
  });
});

describe('integrations', () => {
  test('are created, read, changed and deleted', async () => {
    const { status, body } = await create('prometheus', prometheus, 'main');
    expect(status).toBe(201);
    expect(body).toMatchObject({ name: 'main', model: 'prometheus', config: { ...prometheus, step_seconds: 60 } });
    const path = `/v1/teams/${teamId}/integrations/${body.id}`;
    expect((await send('GET', path)).body).toEqual(body);
    expect((await send('GET', `/v1/teams/${teamId}/integrations`)).body.integrations).toContainEqual(body);
    expect((await create('prometheus', prometheus, 'main')).status).toBe(409);
    const changed = await send('PUT', path, { name: 'second', config: { ...prometheus, step_seconds: 10 } });
    expect(changed.body).toMatchObject({ name: 'second', config: { step_seconds: 10 } });
    expect((await send('PUT', path, { model: 'warp10', config: prometheus })).status).toBe(400);
    expect((await send('DELETE', path)).status).toBe(200);
    expect((await send('GET', path)).status).toBe(404);
    expect((await send('DELETE', path)).status).toBe(404);
  });

  test.each([
    ['no address', {}, 'config.url'],
    ['another scheme', { url: 'ftp://example.com' }, 'config.url'],
    ['credentials in the address', { url: 'http://me:secret@example.com' }, 'config.url'],
    ['a wrong type', { ...prometheus, step_seconds: 'often' }, 'config.step_seconds'],
    ['a setting that the model does not have', { ...prometheus, constructor: 'x' }, 'config.constructor'],
    ['what no header may hold', { ...prometheus, token: 'a\nb' }, 'config.token'],
    ['what no database keeps', { ...prometheus, user: '\0' }, 'config.user'],
    ['a placeholder for nothing', { ...prometheus, token: passwordPlaceholder }, 'config.token'],
  ])('with %s are refused', async (_what, config, path) => {
    const { status, body } = await create('prometheus', config);
    expect(status).toBe(400);
    expect(body.details[0].path).toBe(path);
  });

  test('of another team are not found', async () => {
    const { body } = await create('prometheus', prometheus);
    const other = await app.createTeam();
    for (const [method, rest] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/test'],
      ['POST', '/import'],
    ]) {
      expect((await send(method, `/v1/teams/${other.id}/integrations/${body.id}${rest}`)).status).toBe(404);
    }
    expect((await send('GET', `/v1/teams/${other.id}/integrations`)).body).toEqual({ integrations: [] });
  });

  test('keep a password for its placeholder, replace it by another and forget it for none', async () => {
    const stub = await startHttpStub(() => ({ body: { status: 'success', data: { resultType: 'vector' } } }));
    const { body } = await create('prometheus', { url: stub.url, token: 'first-token' });
    const path = `/v1/teams/${teamId}/integrations/${body.id}`;
    const authorizationAfter = async (config: object) => {
      expect((await send('PUT', path, { config: { url: stub.url, ...config } })).status).toBe(200);
      expect((await send('POST', `${path}/test`)).body).toMatchObject({ ok: true });
      return stub.seen.at(-1)?.headers.authorization;
    };
    expect(body.config.token).toBe(passwordPlaceholder);
    expect(await authorizationAfter({ token: passwordPlaceholder })).toBe('Bearer first-token');
    expect(await authorizationAfter({ token: 'second-token' })).toBe('Bearer second-token');
    expect(await authorizationAfter({ token: passwordPlaceholder, step_seconds: 5 })).toBe('Bearer second-token');
    expect(await authorizationAfter({ token: '' })).toBe(undefined);
    expect((await send('GET', path)).body.config).not.toHaveProperty('token');
  });

  test('do not take a kept password along to another address', async () => {
    const { body } = await create('prometheus', { ...prometheus, token: 'the-token-here' });
    const path = `/v1/teams/${teamId}/integrations/${body.id}`;
    const moved = { url: 'https://thief.example.com', token: passwordPlaceholder };
    expect((await send('PUT', path, { config: moved })).status).toBe(400);
    const below = { url: `${prometheus.url}/below`, token: passwordPlaceholder };
    expect((await send('PUT', path, { config: below })).status).toBe(200);
  });

  test('sealed with a key that is gone say so, and take a new password', async () => {
    const { body } = await create('prometheus', { ...prometheus, token: 'the-token-here' });
    const path = `/v1/teams/${teamId}/integrations/${body.id}`;
    await app.database.pool.query('update integrations set secrets = $2 where id = $1', [
      body.id,
      JSON.stringify({ token: `v1:${'A'.repeat(60)}` }),
    ]);
    expect((await send('POST', `${path}/test`)).body).toMatchObject({
      ok: false,
      message: expect.stringContaining('FAULTLINE_SECRET_KEY'),
    });
    expect((await send('PUT', path, { config: { ...prometheus, token: passwordPlaceholder } })).status).toBe(400);
    expect((await send('PUT', path, { config: { ...prometheus, token: 'new' } })).status).toBe(200);
  });

  test('that import graphs fetch messages and add them', async () => {
    const lines = [1, 2].map((n) => JSON.stringify({ source: { label: 'Web', name: `w${n}` } })).join('\n');
    const stub = await startHttpStub(({ url }) => ({ status: url.pathname === '/graph' ? 200 : 404, body: lines }));
    const { body } = await create('ndjson-url', { url: `${stub.url}/graph`, token: 'let-me-in' });
    const path = `/v1/teams/${teamId}/integrations/${body.id}`;
    expect((await send('POST', `${path}/test`)).body).toMatchObject({ ok: true });
    expect((await send('POST', `${path}/import`)).body).toMatchObject({ accepted: 2, rejected: 0 });
    expect(stub.seen.at(-1)?.headers.authorization).toBe('Bearer let-me-in');
    expect((await send('GET', `/v1/teams/${teamId}/labels/Web/nodes`)).body).toEqual(['w1', 'w2']);
    await send('PUT', path, { config: { url: `${stub.url}/gone` } });
    expect(await send('POST', `${path}/import`)).toMatchObject({ status: 409 });
  });

  test('whose answer breaks off keep what came, and say so', async () => {
    const line = `${JSON.stringify({ source: { label: 'Half', name: 'here' } })}\n{"source":`;
    const stub = await startHttpStub(() => ({ headers: { 'content-length': '10000' }, body: line, breaksOff: true }));
    const { body } = await create('ndjson-url', { url: stub.url });
    const { status, body: answer } = await send('POST', `/v1/teams/${teamId}/integrations/${body.id}/import`);
    expect(status).toBe(409);
    expect(answer.message).toContain('broke off');
    expect((await send('GET', `/v1/teams/${teamId}/labels/Half/nodes`)).body).toEqual(['here']);
  });

  test('do not reach the operator’s network unless it is allowed, whatever name leads there', async () => {
    const stub = await startHttpStub(() => ({ body: { status: 'success', data: { resultType: 'vector' } } }));
    let address = '';
    const resolve = (_name: string, _options: object, callback: (error: null, found: object[]) => void) =>
      callback(null, [{ address, family: address.includes(':') ? 6 : 4 }]);
    // The guard asks for all addresses, and only so.
    const careful = await startTestApp({ resolve: resolve as unknown as typeof lookup });
    const team = await careful.createTeam();
    const path = `/v1/teams/${team.id}/integrations`;
    const place = `${stub.port}/`;
    const body = { name: 'n', model: 'prometheus', config: { url: `http://name.example:${place}` } };
    const { id } = await careful.arrange('POST', path, body);
    for (address of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', 'fe80::1', '::ffff:127.0.0.1']) {
      const outcome = await careful.arrange('POST', `${path}/${id}/test`);
      expect(outcome).toMatchObject({ ok: false, message: expect.stringContaining('is not a public address') });
    }
    for (const host of ['127.0.0.1', '[::1]', '[::ffff:7f00:1]', '2130706433', '192.168.1.1', '169.254.1.1']) {
      await careful.arrange('PUT', `${path}/${id}`, { config: { url: `http://${host}:${place}` } });
      const outcome = await careful.arrange('POST', `${path}/${id}/test`);
      expect(outcome).toMatchObject({ ok: false, message: expect.stringContaining('is not a public address') });
    }
    expect(stub.seen).toEqual([]);
  });
});

test('no secret shows in answers, log, audit log, backup or rows', async () => {
  // An evil place, which repeats whatever it is sent.
  const echo = await startHttpStub(({ headers, body }) => ({
    status: 500,
    headers: { 'x-warp10-error-message': body.replaceAll('\n', ' ').slice(0, 250) },
    body: { error: `${headers.authorization} ${body}`, message: headers.authorization },
  }));
  const canaries: string[] = [];
  const answers: string[] = [];
  const say = async (...call: Parameters<typeof send>) => {
    const answer = await send(...call);
    answers.push(answer.text);
    return answer;
  };
  const clear = {
    url: echo.url,
    database: 'd',
    host: '127.0.0.1',
    from: 'a@example.com',
    to: 'b@example.com',
    user: 'u',
  };
  for (const model of builtInModels) {
    // One password at a time, as some hide behind others, and then all at once.
    const keys = passwordKeys(model.default_config);
    if (keys.length === 0) continue;
    for (const chosen of [...keys.map((key) => [key]), keys]) {
      const given = Object.fromEntries(Object.entries(clear).filter(([key]) => key in model.default_config));
      for (const key of chosen) {
        // Where the whole address is the secret.
        const canary = `${key === 'url' ? `${echo.url}/` : ''}canary'${canaries.length}'${model.name}-${key}`;
        canaries.push(`canary'${canaries.length}'`);
        given[key] = canary;
      }
      const name = unique(model.name);
      const { status, body } = await say('POST', `/v1/teams/${teamId}/integrations`, {
        name,
        model: model.name,
        config: given,
      });
      expect(status, JSON.stringify(body)).toBe(201);
      const path = `/v1/teams/${teamId}/integrations/${body.id}`;
      expect(await say('POST', `${path}/test`)).toMatchObject({ status: 200, body: { ok: false } });
      await say('POST', `${path}/import`);
      await say('PUT', path, { config: { ...given, [chosen[0]]: passwordPlaceholder } });
      await say('PUT', path, { config: { ...given, unknown: given[chosen[0]] } });
      await say('PUT', path, { config: { ...given, [chosen[0]]: 7 } });
      await say('GET', path);
    }
  }
  // The canaries did leave for where they belong.
  expect(echo.seen.some(({ headers }) => headers.authorization?.includes('canary'))).toBe(true);
  await say('GET', `/v1/teams/${teamId}/integrations`);
  await say('GET', '/integration/models');
  await say('GET', '/v1/audit?limit=1000');
  const backup = await app.server.inject({
    method: 'GET',
    url: '/v1/backup',
    headers: { authorization: `Bearer ${adminToken}` },
  });
  const tables = await app.database.pool.query(
    "select table_name from information_schema.tables where table_schema = 'public'",
  );
  const rows: unknown[] = [];
  for (const { table_name } of tables.rows)
    rows.push((await app.database.pool.query(`select t::text from "${table_name}" t`)).rows);
  const places = {
    answers: answers.join('\n'),
    log: logged.join('\n'),
    backup: gunzipSync(backup.rawPayload).toString(),
    rows: JSON.stringify(rows),
  };
  expect(canaries.length).toBeGreaterThan(10);
  expect(places.backup).toContain('integrations');
  expect(places.rows).toContain('v1:');
  for (const [place, text] of Object.entries(places)) {
    const coats = canaries.flatMap((one) => [
      one,
      encodeURIComponent(one),
      Buffer.from(one).toString('base64').slice(0, -4),
    ]);
    expect(
      coats.filter((coat) => text.includes(coat)),
      place,
    ).toEqual([]);
    expect(text.includes('canary'), place).toBe(false);
    // "canary" in base64, at each of the three places in which it can begin.
    for (const part of ['Y2FuYXJ5', 'NhbmFye', 'jYW5hcn']) expect(text.includes(part), `${place} ${part}`).toBe(false);
  }
});
