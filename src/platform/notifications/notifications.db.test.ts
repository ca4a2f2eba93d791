import { createHmac, randomBytes } from 'node:crypto';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminToken, createTestClock, startTestApp, type TestApp, unique } from '../../../test/harness/app.ts';
import { createWorker, type Json, newHome, until } from '../../../test/harness/workflows.ts';
import { createDeliveriesStore } from './deliveries.store.ts';
import { createEmitter } from './emitter.service.ts';

type Call = { headers: IncomingHttpHeaders; body: string; json: { [key: string]: Json } };

/** Answers with the statuses of the test, then with 200. */
async function receiver(statuses: number[] = [], headers: Record<string, string> = {}) {
  const calls: Call[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    calls.push({ headers: request.headers, body, json: JSON.parse(body) });
    response.writeHead(statuses.shift() ?? 200, headers).end('thanks');
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  receivers.push(server);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, calls }; // it listens on a port
}
const receivers: Server[] = [];
afterAll(() => receivers.forEach((server) => server.close()));

/** As a receiver computes it. */
const expectedSignature = (secret: string, headers: IncomingHttpHeaders, body: string): string =>
  `sha256=${createHmac('sha256', secret)
    .update(`${String(headers['x-faultline-timestamp'])}.${body}`)
    .digest('hex')}`;

const clock = createTestClock();
const token = adminToken;
let app: TestApp;
let team: { id: string };

const workflows = `
shop.GOOD: { tasks: [ { WAIT: { type: task, run: sleep, with: { seconds: 0 } } } ] }
shop.SAYS: { tasks: [ { SAY: { type: task, run: notify, with: { title: Hello, message: you, channel: "{{ payload.channel }}" } } } ] }
bank.WORK: { tasks: [ WORK ] }
`;

beforeAll(async () => {
  const home = await newHome({ 'workflows.yml': workflows }, ['WORK']);
  app = await startTestApp({ clock, config: { home, outboundAllow: ['127.0.0.1'] } });
  expect(await app.arrange('GET', '/api/definitions/faults')).toEqual([]);
  team = await app.createTeam();
});

const newChannel = (settings: object, more: object = {}) => ({
  team_id: team.id,
  name: unique('channel'),
  type: 'webhook',
  settings,
  filters: { services: [unique('type')] },
  ...more,
});
const createChannel = (settings: object, more: object = {}): Promise<{ id: string; name: string }> =>
  app.arrange('POST', '/notification/channels', newChannel(settings, more));
const deliveriesOf = async (channel: { id: string }) =>
  (await app.arrange('GET', `/notification/deliveries?channel=${channel.id}`)).deliveries;
const run = async (project: string, name: string, payload: Json = {}): Promise<string> => {
  const { id } = await app.arrange('POST', '/api/workflows', { project, name, payload });
  return id;
};
const ended = (id: string) =>
  until(async () => (await app.arrange('GET', `/api/workflows/${id}`)).finished !== null, `${id} has ended`);
/** Ends as the test wants. */
async function work(isGood: boolean): Promise<void> {
  const id = await run('bank', 'WORK');
  const worker = createWorker(app, 'worker');
  const task = await worker.take();
  await (isGood ? worker.complete(task) : worker.fail(task, 'no paper\0'));
  await ended(id);
}

/** The clock must not be moved over the lease of somebody who is sending. */
const settled = (channel: { id: string }, attempts: number) =>
  until(async () => {
    const { rows } = await app.database.pool.query(
      'select 1 from notification_deliveries where channel_id = $1 and attempts = $2 and not is_leased',
      [channel.id, attempts],
    );
    return rows.length === 1;
  }, `attempt ${attempts} has ended`);

describe('a workflow', () => {
  test('that ends is told by a signed webhook, which is tried again until it is accepted, under one id', async () => {
    const { url, calls } = await receiver([500, 503]);
    const channel = await createChannel({ url, secret: 'the key' }, { filters: { workflows: ['shop.G*'] } });
    const id = await run('shop', 'GOOD');
    for (const attempts of [1, 2]) {
      await settled(channel, attempts);
      clock.advance(60_000);
    }
    await until(async () => (await deliveriesOf(channel))[0].state === 'sent', 'it is sent');
    clock.advance(3_600_000);
    expect(calls).toHaveLength(3);
    const [delivery, ...others] = await deliveriesOf(channel);
    expect(others).toEqual([]);
    expect(delivery).toMatchObject({
      attempts: 3,
      response_status: 200,
      event: 'workflow.succeeded',
      last_error: null,
    });
    expect(new Set(calls.map(({ headers }) => headers['x-faultline-delivery']))).toEqual(new Set([delivery.id]));
    for (const { headers, body, json } of calls) {
      expect(headers['x-faultline-signature']).toBe(expectedSignature('the key', headers, body));
      expect(headers['x-faultline-event']).toBe('workflow.succeeded');
      expect(json).toMatchObject({
        id: delivery.id,
        event: 'workflow.succeeded',
        data: { workflow: { id, status: 'success' } },
      });
    }
  });

  test('is told when it starts, fails and recovers, as the policies say', async () => {
    const [all, changes] = [await receiver(), await receiver()];
    const filters = { projects: ['bank'] };
    await createChannel({ url: all.url }, { filters, on_start: 'always', on_success: 'always', on_failure: 'always' });
    await createChannel(
      { url: changes.url },
      { filters, on_start: 'never', on_success: 'change', on_failure: 'change' },
    );
    const ends = [true, true, false, false, true];
    for (const isGood of ends) await work(isGood);
    await until(() => all.calls.length === 10, 'all are told');
    await until(() => changes.calls.length >= 3, 'changes are told');
    const eventsOf = (calls: Call[]) => calls.map(({ headers }) => String(headers['x-faultline-event']));
    // Deliveries of one moment may overtake each other; how many there are of each is certain.
    expect(eventsOf(all.calls).toSorted()).toEqual([
      ...Array.from({ length: 2 }, () => 'workflow.failed'),
      ...Array.from({ length: 5 }, () => 'workflow.started'),
      ...Array.from({ length: 3 }, () => 'workflow.succeeded'),
    ]);
    expect(eventsOf(changes.calls).toSorted()).toEqual(['workflow.failed', 'workflow.succeeded', 'workflow.succeeded']);
    const failed = changes.calls.find(({ headers }) => headers['x-faultline-event'] === 'workflow.failed');
    expect(failed?.json).toMatchObject({
      data: { task: { key: 'WORK' }, error: { message: expect.stringContaining('no paper') } },
    });
  });

  test('can write to a channel itself', async () => {
    const { url, calls } = await receiver();
    const channel = await createChannel({ url });
    await ended(await run('shop', 'SAYS', { channel: channel.name }));
    await until(() => calls.length === 1, 'it is told');
    expect(calls[0].json).toMatchObject({ event: 'workflow.message', title: 'Hello', message: 'you' });
    const lost = await run('shop', 'SAYS', { channel: 'nobody' });
    await ended(lost);
    const { tasks } = await app.arrange('GET', `/api/workflows/${lost}`);
    expect(tasks[0].error.message).toContain('There is no channel "nobody"');
  });
});

describe('deliveries', () => {
  test('410 ends them at once; sent again they keep their id', async () => {
    const { url, calls } = await receiver([410]);
    const channel = await createChannel({ url });
    await ended(await run('shop', 'SAYS', { channel: channel.id }));
    await until(async () => (await deliveriesOf(channel))[0].state === 'failed', 'it has failed');
    const [delivery] = await deliveriesOf(channel);
    expect(delivery).toMatchObject({ attempts: 1, response_status: 410, next_attempt: null });
    await app.arrange('POST', `/notification/deliveries/${delivery.id}/resend`);
    await until(async () => (await deliveriesOf(channel))[0].state === 'sent', 'it is sent');
    expect(calls.map(({ headers }) => headers['x-faultline-delivery'])).toEqual([delivery.id, delivery.id]);
  });

  test('of a channel that is switched off are not sent', async () => {
    const { url, calls } = await receiver([500]);
    const channel = await createChannel({ url });
    await ended(await run('shop', 'SAYS', { channel: channel.id }));
    await settled(channel, 1);
    await app.arrange('PUT', `/notification/channels/${channel.id}`, { ...channel, enabled: false });
    clock.advance(60_000);
    await until(async () => (await deliveriesOf(channel))[0].state === 'failed', 'it has failed');
    expect((await deliveriesOf(channel))[0].last_error).toContain('switched off');
    expect(calls).toHaveLength(1);
  });

  test('to a receiver that hangs do not hold up those to others', async () => {
    const hanging = createServer(() => undefined);
    await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve));
    receivers.push(hanging);
    const { port } = hanging.address() as AddressInfo; // it listens on a port
    const [slow, good] = [await createChannel({ url: `http://127.0.0.1:${port}/` }), await receiver()];
    const quick = await createChannel({ url: good.url });
    const emitter = createEmitter({ clock });
    const content = { title: 't', message: 'm', at: '', data: {} };
    for (let n = 0; n < 100; n++)
      await emitter.emitDirect(app.database.pool, slow, { event: 'test', key: `k${n}`, content });
    await emitter.emitDirect(app.database.pool, quick, { event: 'test', key: 'k', content });
    await until(() => good.calls.length === 1, 'the other is told', 10_000);
    expect((await deliveriesOf(quick)).length).toBe(1);
    await app.arrange('DELETE', `/notification/channels/${slow.id}`);
    hanging.closeAllConnections();
  });

  test('redirects are not followed', async () => {
    const target = await receiver();
    const { url } = await receiver([302], { location: target.url });
    const channel = await createChannel({ url });
    const answer = await app.arrange('POST', `/notification/channels/${channel.id}/test`);
    expect(answer).toEqual({ ok: false, message: expect.stringContaining('redirects are not followed') });
    expect(target.calls).toEqual([]);
  });

  test('after eight attempts it is over', async () => {
    const { url, calls } = await receiver(Array.from({ length: 20 }, () => 500));
    const channel = await createChannel({ url });
    await ended(await run('shop', 'SAYS', { channel: channel.id }));
    for (let attempts = 1; attempts <= 8; attempts++) {
      await settled(channel, attempts);
      clock.advance(3_600_000 * 2);
    }
    await until(async () => (await deliveriesOf(channel))[0].state === 'failed', 'it has failed');
    expect(calls).toHaveLength(8);
    expect((await deliveriesOf(channel))[0]).toMatchObject({ attempts: 8, last_error: 'The receiver answered 500.' });
  });

  test('are listed in pages, by state, and only to members of the team', async () => {
    const { url } = await receiver();
    const channel = await createChannel({ url });
    for (let n = 0; n < 3; n++) await ended(await run('shop', 'SAYS', { channel: channel.id }));
    await until(
      async () => (await deliveriesOf(channel)).every(({ state }: { state: string }) => state === 'sent'),
      'sent',
    );
    const first = await app.arrange('GET', `/notification/deliveries?channel=${channel.id}&limit=2&state=sent`);
    const second = await app.arrange(
      'GET',
      `/notification/deliveries?channel=${channel.id}&limit=2&before=${first.next_before}`,
    );
    expect([first.deliveries.length, second.deliveries.length, second.next_before]).toEqual([2, 1, null]);
    const stranger = (await app.createToken((await app.createUser()).id, ['Read', 'Write'])).token;
    const list = (query: string) => app.request('GET', `/notification/deliveries${query}`, { token: stranger });
    expect((await list('')).body.deliveries).toEqual([]);
    expect((await list(`?channel=${channel.id}`)).status).toBe(403);
    expect((await list(`?team_id=${team.id}`)).status).toBe(403);
    expect((await list('?team_id=x')).status).toBe(404);
    expect((await list('?channel=x')).status).toBe(404);
  });
});

describe('channels', () => {
  test('begin with the defaults, and show secrets as stars that can be sent back', async () => {
    const { url, calls } = await receiver();
    const made = await app.arrange('POST', '/notification/channels', newChannel({ url, secret: 'first' }));
    expect(made).toMatchObject({ on_success: 'change', on_failure: 'always', on_start: 'never', enabled: true });
    expect(made.settings).toEqual({ url, secret: '**********' });
    const path = `/notification/channels/${made.id}`;
    const signedBy = async (secret: string) => {
      await app.arrange('POST', `${path}/test`);
      const { headers, body } = calls[calls.length - 1];
      return headers['x-faultline-signature'] === expectedSignature(secret, headers, body);
    };
    expect(await signedBy('first')).toBe(true);
    await app.arrange('PUT', path, { ...made, name: unique('other') });
    expect(await signedBy('first')).toBe(true);
    await app.arrange('PUT', path, { ...made, settings: { url, secret: 'second' } });
    expect(await signedBy('second')).toBe(true);
    await app.arrange('PUT', path, { ...made, settings: { url } });
    await app.arrange('POST', `${path}/test`);
    expect(calls[calls.length - 1].headers['x-faultline-signature']).toBeUndefined();
    const again = await app.request('PUT', path, { token, body: made });
    expect([again.status, again.body.details[0].path]).toEqual([400, 'settings.secret']);
  });

  test('a password is not sent to another server by somebody who does not know it', async () => {
    const settings = {
      to: ['a@b.example'],
      from: 'c@d.example',
      host: 'mail.example',
      username: 'me',
      password: 'secret',
    };
    const made = await app.arrange('POST', '/notification/channels', newChannel(settings, { type: 'email' }));
    const moved = { ...made, settings: { ...made.settings, host: 'evil.example' } };
    const answer = await app.request('PUT', `/notification/channels/${made.id}`, { token, body: moved });
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining('must be sent again')]);
    await app.arrange('PUT', `/notification/channels/${made.id}`, {
      ...made,
      settings: { ...made.settings, to: ['x@y.example'] },
    });
  });

  test('what does not fit is refused with the field, and names are the team’s own', async () => {
    const bad: [object, object, string][] = [
      [{}, {}, 'settings.url'],
      [{ url: 'ftp://x' }, {}, 'settings.url'],
      [{ url: 'http://user:pw@x/' }, {}, 'settings.url'],
      [{ url: 'http://x/', more: 1 }, {}, 'settings'],
      [{ to: [] }, { type: 'email' }, 'settings.to'],
      [{ url: 'http://x/', secret: '**********' }, {}, 'settings.secret'],
      [{ url: 'http://x/' }, { on_start: 'sometimes' }, 'on_start'],
      [{ url: 'http://x/' }, { filters: { projects: 'x' } }, 'filters.projects'],
    ];
    for (const [settings, more, path] of bad) {
      const { status, body } = await app.request('POST', '/notification/channels', {
        token,
        body: newChannel(settings, more),
      });
      expect([status, body.details?.[0]?.path]).toEqual([400, path]);
    }
    const body = newChannel({ url: 'http://x/' });
    await app.arrange('POST', '/notification/channels', body);
    expect((await app.request('POST', '/notification/channels', { token, body })).status).toBe(409);
    const other = await app.createTeam();
    await app.arrange('POST', '/notification/channels', { ...body, team_id: other.id });
    const lost = { ...body, team_id: '00000000-0000-4000-8000-000000000000' };
    expect((await app.request('POST', '/notification/channels', { token, body: lost })).status).toBe(404);
    expect((await app.arrange('GET', `/notification/channels?team_id=${other.id}`)).channels).toHaveLength(1);
  });

  test('the states and types are told', async () => {
    expect(await app.arrange('GET', '/notification/state')).toEqual(['always', 'change', 'never']);
    const types = await app.arrange('GET', '/notification/type');
    expect(Object.keys(types).toSorted()).toEqual(['email', 'slack', 'webhook']);
    expect(types.webhook.config_schema.properties.secret).toMatchObject({ writeOnly: true });
  });
});

test('no secret is in any answer or row in clear text, and so in no audit entry and no backup', async () => {
  const canary = `canary${randomBytes(8).toString('hex')}`;
  const failing = await receiver(Array.from({ length: 9 }, () => 400));
  const channels = [
    await createChannel({ url: failing.url, secret: canary }),
    await createChannel({ url: `${failing.url}/${canary}` }, { type: 'slack' }),
    await createChannel(
      {
        to: ['a@b.example'],
        from: 'c@d.example',
        host: '127.0.0.1',
        port: 1,
        tls: 'none',
        username: 'me',
        password: canary,
      },
      { type: 'email' },
    ),
  ];
  const seen: string[] = [];
  for (const channel of channels) {
    const path = `/notification/channels/${channel.id}`;
    const shown = await app.arrange('GET', path);
    await app.arrange('PUT', path, { ...shown, name: unique('renamed') });
    seen.push(JSON.stringify([channel, shown, await app.arrange('POST', `${path}/test`)]));
    await ended(await run('shop', 'SAYS', { channel: channel.id }));
    await settled(channel, 1);
    seen.push(JSON.stringify(await deliveriesOf(channel)));
    const broken = { ...shown, settings: { ...shown.settings, secret: canary, url: canary, password: canary } };
    seen.push((await app.request('PUT', path, { token, body: broken })).text);
  }
  seen.push((await app.request('GET', '/v1/audit?limit=1000', { token })).text);
  expect(seen.join('')).toContain('notification.channel.test');
  const tables = ['notification_channels', 'notification_deliveries', 'audit_log', 'workflow_tasks', 'workflow_events'];
  for (const table of tables) {
    const { rows } = await app.database.pool.query<{ line: string }>(`select t::text as line from ${table} t`);
    seen.push(...rows.map(({ line }) => line));
  }
  const everything = seen.join('\n');
  for (const form of [
    canary,
    Buffer.from(canary).toString('base64').replace(/=+$/, ''),
    Buffer.from(canary).toString('hex'),
  ])
    expect(everything).not.toContain(form);
});

test('services that turn stale are told once for each silence, and to those who want to hear of that type', async () => {
  const [api, other] = [await receiver(), await receiver()];
  const type = unique('api');
  const channel = await createChannel({ url: api.url }, { filters: { services: [type] } });
  const elsewhere = await createChannel({ url: other.url }, { filters: { services: ['worker'] } });
  const emitter = createEmitter({ clock });
  const lastHeartbeat = new Date(clock());
  const transition = { type, name: 'one', state: 'stale', lastHeartbeat, at: lastHeartbeat } as const;
  for (let times = 0; times < 2; times++) await emitter.onServiceTransition(app.database.pool, [transition]);
  await until(() => api.calls.length === 1, 'it is told');
  await emitter.onServiceTransition(app.database.pool, [{ ...transition, state: 'gone' }]);
  await until(() => api.calls.length === 2, 'it is told');
  expect(api.calls.map(({ json }) => json['event'])).toEqual(['service.stale', 'service.gone']);
  expect([(await deliveriesOf(channel)).length, (await deliveriesOf(elsewhere)).length]).toEqual([2, 0]);
});

test('deliveries go 30 days after their end', async () => {
  const { url } = await receiver();
  const channel = await createChannel({ url });
  await ended(await run('shop', 'SAYS', { channel: channel.id }));
  await until(async () => (await deliveriesOf(channel))[0]?.state === 'sent', 'it is sent');
  const store = createDeliveriesStore(app.database.pool);
  await store.expire(new Date(clock() - 1000));
  expect(await deliveriesOf(channel)).toHaveLength(1);
  await store.expire(new Date(clock() + 1000));
  expect(await deliveriesOf(channel)).toEqual([]);
});
