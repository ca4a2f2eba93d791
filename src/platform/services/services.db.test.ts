import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { adminToken, createTestClock, startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { silentLog } from '../../../test/harness/database.ts';
import { systemActor } from '../../identity/access.ts';
import { version } from '../../version.ts';
import { stateAt } from './service-state.ts';
import { createServicesService } from './services.service.ts';
import { createServicesStore, type OnTransition } from './services.store.ts';

const start = Date.parse('2026-11-15T12:00:00Z');
let app: TestApp;
let clock: ReturnType<typeof createTestClock>;

beforeAll(async () => {
  clock = createTestClock(start);
  app = await startTestApp({ clock });
});
beforeEach(async () => {
  await app.database.db.deleteFrom('services').execute();
});

async function serviceToken(): Promise<string> {
  const user = await app.createUser();
  return (await app.createToken(user.id, ['Service'])).token;
}

const beat = async (token: string, body?: unknown): Promise<number> =>
  (await app.request('POST', '/services/heartbeat', { token, body })).status;
const list = async (type: string) => (await app.request('GET', `/services/${type}`, { token: adminToken })).body;
const names = async (type: string): Promise<string[]> => (await list(type)).map(({ name }: { name: string }) => name);

/** But for the process itself, which comes and goes by itself. */
const types = async (): Promise<unknown[]> =>
  (await app.request('GET', '/services/types', { token: adminToken })).body.filter(
    ({ type }: { type: string }) => type !== 'api',
  );

/** The registry alone, without a window, as another process would have it. */
function openRegistry(options: { clock?: () => number; onTransition?: OnTransition } = {}) {
  const registry = createServicesService({
    store: createServicesStore(app.database.pool),
    clock: options.clock ?? clock,
    log: silentLog,
    windowMs: 0,
    onTransition: options.onTransition,
  });
  const me = { userId: randomUUID(), isAdmin: false, actor: { ...systemActor, userName: 'tester' } };
  return { ...registry, me };
}

describe('the record', () => {
  test('has exactly the fields of the contract', async () => {
    const token = await serviceToken();
    const body = {
      type: 'indexer',
      name: 'a',
      url: 'http://10.0.0.1',
      version: '1.2',
      region: 'eu',
      public_key: '-----BEGIN\nKEY-----\n',
      metadata: { deep: { list: [1, null, 'zero \u0000', '\ud800'] } },
      monitoring_status: {
        now: '2026-11-15T11:59:59Z',
        lines: [
          { status: 'OK', component: 'disk', value: 12, type: 'other' },
          { status: 'WARN', component: 'queue', value: 'long' },
        ],
      },
    };
    expect(await beat(token, body)).toBe(204);
    const at = new Date(clock()).toISOString();
    expect(await list('indexer')).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        ...body,
        state: 'alive',
        health: 'WARN',
        monitoring_status: {
          now: '2026-11-15T11:59:59.000Z',
          lines: [
            { status: 'OK', component: 'disk', value: '12', type: 'other' },
            { status: 'WARN', component: 'queue', value: 'long', type: 'indexer' },
          ],
        },
        ttl_seconds: 90,
        registered_at: at,
        last_heartbeat: at,
        expires_at: new Date(clock() + 90_000).toISOString(),
      },
    ]);
  });

  test('what a later beat leaves out stays, null clears', async () => {
    const token = await serviceToken();
    await beat(token, { type: 't', name: 'a', url: 'u', version: '1', metadata: { a: 1 }, ttl_seconds: 30 });
    clock.advance(5000);
    await beat(token, { type: 't', name: 'a', url: null, region: 'eu' });
    expect(await list('t')).toMatchObject([
      { url: null, version: '1', region: 'eu', metadata: { a: 1 }, ttl_seconds: 30 },
    ]);
    expect((await list('t'))[0].registered_at < (await list('t'))[0].last_heartbeat).toBe(true);
  });

  test.each([
    [{ type: 't' }, 'type'],
    [{ name: 'n' }, 'type'],
    [{ type: 'types', name: 'n' }, 'type'],
    [{ type: 't', name: '..' }, 'name'],
    [{ type: 't', name: 'a\u0000' }, 'name'],
    [{ type: 't', name: 'n', ttl_seconds: 0 }, 'ttl_seconds'],
    [{ type: 't', name: 'n', metadata: { text: 'x'.repeat(16 * 1024) } }, 'metadata'],
    [{ type: 't', name: 'n', metadata: { deep: JSON.parse('['.repeat(2000) + ']'.repeat(2000)) } }, 'metadata'],
    [
      {
        type: 't',
        name: 'n',
        monitoring_status: { lines: Array.from({ length: 101 }, () => ({ status: 'OK', component: 'c', value: '' })) },
      },
      'monitoring_status',
    ],
    [
      { type: 't', name: 'n', monitoring_status: { lines: [{ status: 'FINE', component: 'c', value: '' }] } },
      'monitoring_status',
    ],
  ])('is refused with a 400 that names the field: %#', async (body, field) => {
    const answer = await app.request('POST', '/services/heartbeat', { token: adminToken, body });
    expect(answer.status).toBe(400);
    expect(answer.body.details[0].path).toContain(field);
  });
});

test('metadata nested too deep for any stack is a 400 too', async () => {
  const deep = '['.repeat(200_000) + ']'.repeat(200_000);
  const text = `{"type":"t","name":"n","metadata":{"deep":${deep}}}`;
  const answer = await app.request('POST', '/services/heartbeat', { token: adminToken, text });
  expect(answer.status).toBe(400);
});

describe('states', () => {
  test('change at the right moment: alive up to the ttl, stale up to twice that, then gone', async () => {
    const token = await serviceToken();
    await beat(token, { type: 't', name: 'a' });
    await beat(token, { type: 't', name: 'short', ttl_seconds: 10 });
    const states = async () =>
      Object.fromEntries((await list('t')).map(({ name, state }: { name: string; state: string }) => [name, state]));
    expect(await states()).toEqual({ a: 'alive', short: 'alive' });
    clock.advance(10_000);
    expect(await states()).toEqual({ a: 'alive', short: 'alive' });
    clock.advance(1);
    expect(await states()).toEqual({ a: 'alive', short: 'stale' });
    clock.advance(9999);
    expect(await states()).toEqual({ a: 'alive', short: 'stale' });
    clock.advance(1);
    expect(await states()).toEqual({ a: 'alive' });
    clock.advance(70_000);
    expect(await states()).toEqual({ a: 'stale' });
    expect(await types()).toEqual([{ type: 't', alive: 0, stale: 1 }]);
    await beat(token, { type: 't', name: 'a' });
    expect(await states()).toEqual({ a: 'alive' });
    clock.advance(180_001);
    expect(await states()).toEqual({});
    expect(await types()).toEqual([]);
  });

  test('after any beats and steps of the clock the list says what the definition says', async () => {
    let now = start;
    const { beat, list, sweep, me, close } = openRegistry({ clock: () => now });
    const step = fc.oneof(
      fc.record({
        kind: fc.constant('beat' as const),
        name: fc.constantFrom('a', 'b', 'c'),
        ttl: fc.option(fc.integer({ min: 1, max: 20 })),
      }),
      fc.record({
        kind: fc.constant('wait' as const),
        ms: fc.oneof(fc.integer({ min: 0, max: 45_000 }), fc.constantFrom(1, 1000, 5000, 180_001)),
      }),
      fc.record({ kind: fc.constant('sweep' as const) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        await app.database.db.deleteFrom('services').execute();
        const model = new Map<string, { at: number; ttl: number; since: number }>();
        for (const one of steps) {
          if (one.kind === 'wait') now += one.ms;
          else if (one.kind === 'sweep') await sweep();
          else {
            const former = model.get(one.name);
            const isGone = !former || now - former.at > 2000 * former.ttl;
            const ttl = one.ttl ?? (isGone ? 90 : former.ttl);
            model.set(one.name, { at: now, ttl, since: isGone ? now : former.since });
            await beat({ type: 'law', name: one.name, ...(one.ttl === null ? {} : { ttl_seconds: one.ttl }) }, me);
          }
          const expected = [...model]
            .filter(([, { at, ttl }]) => now - at <= 2000 * ttl)
            .map(([name, { at, ttl, since }]) => ({ name, state: now - at <= 1000 * ttl ? 'alive' : 'stale', since }))
            .toSorted((x, y) => (x.name < y.name ? -1 : 1));
          const { services } = (await list('law').next()).value ?? { services: [] };
          expect(
            services.map((row) => ({ name: row.name, state: stateAt(row, now), since: row.registered_at.getTime() })),
          ).toEqual(expected);
        }
      }),
      { numRuns: 60 },
    );
    await close();
  });
});

describe('the list', () => {
  test.each([499, 500, 501, 1203])('is sorted by name and complete with %i services', async (count) => {
    const { beat, me, close } = openRegistry();
    const expected = Array.from({ length: count }, (_, i) => `s ${(i * 7919) % count}`);
    await Promise.all(expected.map((name) => beat({ type: 'many', name }, me)));
    expect(await names('many')).toEqual(expected.toSorted());
    await close();
  });

  test('is empty for a type that nobody has or could have', async () => {
    for (const type of ['nobody', '%00', '.%2F.', '%20', 'x'.repeat(90)]) expect(await list(type), type).toEqual([]);
  });
});

describe('owners', () => {
  test('a record belongs to the user that made it: others are refused, administrators and other tokens of the user are not', async () => {
    const [ann, bob] = [await serviceToken(), await serviceToken()];
    const body = { type: 't', name: 'a' };
    expect(await beat(ann, body)).toBe(204);
    expect(await beat(bob, body)).toBe(403);
    expect(await beat(adminToken, { ...body, version: 'by the admin' })).toBe(204);
    expect(await beat(ann, body)).toBe(204);
    expect(await list('t')).toMatchObject([{ version: 'by the admin' }]);
    const remove = async (token: string) => (await app.request('DELETE', '/services/t/a', { token })).status;
    expect(await remove(bob)).toBe(403);
    expect(await remove(ann)).toBe(200);
    expect(await remove(ann)).toBe(404);
    expect(await beat(bob, body)).toBe(204);
    expect(await beat(ann, body)).toBe(403);
    // Nobody holds a name for ever.
    clock.advance(180_001);
    const { id: former } = await app.database.db.selectFrom('services').select('id').executeTakeFirstOrThrow();
    expect(await remove(bob)).toBe(404);
    expect(await beat(ann, body)).toBe(204);
    expect((await list('t'))[0].id).not.toBe(former);
  });

  test('a beat that names nothing is about the only one of its user', async () => {
    const token = await serviceToken();
    expect(await beat(token)).toBe(404);
    expect(await beat(token, {})).toBe(404);
    await beat(token, { type: 't', name: 'a' });
    clock.advance(60_000);
    expect(await beat(token)).toBe(204);
    expect(await beat(token, { version: '2' })).toBe(204);
    expect(await list('t')).toMatchObject([{ version: '2', last_heartbeat: new Date(clock()).toISOString() }]);
    await beat(token, { type: 't', name: 'b' });
    const answer = await app.request('POST', '/services/heartbeat', { token, body: {} });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain('"name"');
    clock.advance(180_001);
    expect(await beat(token)).toBe(404);
  });

  test('one of several users who claim the same name at once gets it, the others are refused', async () => {
    const [one, two] = [openRegistry(), openRegistry()];
    const claims = Array.from({ length: 20 }, (_, i) => {
      const registry = i % 2 ? one : two;
      return registry.beat({ type: 'claimed', name: 'a' }, { ...one.me, userId: randomUUID() });
    });
    const outcomes = await Promise.allSettled(claims);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await Promise.all([one.close(), two.close()]);
  });

  test('registering, deleting and expiring are in the audit log, beats are not', async () => {
    await app.database.db.deleteFrom('audit_log').execute();
    const token = await serviceToken();
    for (let i = 0; i < 3; i++) await beat(token, { type: 't', name: 'kept' });
    await beat(token, { type: 't', name: 'deleted' });
    await app.request('DELETE', '/services/t/deleted', { token });
    clock.advance(180_001);
    const registry = openRegistry();
    await registry.sweep();
    await registry.close();
    const { entries } = (await app.request('GET', '/v1/audit', { token: adminToken })).body;
    const mine = entries.filter(({ action }: { action: string }) => action.startsWith('service.'));
    expect(
      mine.map(({ action, target }: { action: string; target: string }) => `${action} ${target}`).toReversed(),
    ).toEqual([
      'service.register service t kept',
      'service.register service t deleted',
      'service.delete service t deleted',
      'service.expire service t kept',
    ]);
  });
});

test('thousands of beats of one service at once, here and on another process, are harmless', async () => {
  const [one, two] = [openRegistry(), openRegistry()];
  const beats = Array.from({ length: 4000 }, (_, i) =>
    (i % 2 ? one : two).beat({ type: 'busy', name: 'a', version: String(i) }, one.me),
  );
  await Promise.all(beats);
  expect(await names('busy')).toEqual(['a']);
  await Promise.all([one.close(), two.close()]);
});

describe('the sweep', () => {
  test('tells each change once, however many processes sweep at once, and deletes what is gone', async () => {
    let now = start;
    const seen: string[] = [];
    const onTransition: OnTransition = async (_client, { service, from, to }) => {
      seen.push(`${service.name}: ${from} to ${to}`);
    };
    const registries = Array.from({ length: 4 }, () => openRegistry({ clock: () => now, onTransition }));
    const [{ beat, me }] = registries;
    const sweepAll = async (): Promise<string[]> => {
      await Promise.all([...registries, ...registries].map(({ sweep }) => sweep()));
      return seen.splice(0).toSorted();
    };
    const every = (what: string): string[] => Array.from({ length: 30 }, (_, i) => `s${i}: ${what}`).toSorted();
    const beatAll = () => Promise.all(Array.from({ length: 30 }, (_, i) => beat({ type: 'swept', name: `s${i}` }, me)));
    await beatAll();
    expect(await sweepAll()).toEqual([]);
    now += 90_001;
    expect(await sweepAll()).toEqual(every('alive to stale'));
    expect(await sweepAll()).toEqual([]);
    // A process whose clock is behind does not take it back.
    now -= 1000;
    expect(await sweepAll()).toEqual([]);
    now += 1000;
    await beatAll();
    expect(await sweepAll()).toEqual(every('stale to alive'));
    now += 90_001;
    expect(await sweepAll()).toEqual(every('alive to stale'));
    now += 90_001;
    expect(await sweepAll()).toEqual(every('stale to gone'));
    expect(await sweepAll()).toEqual([]);
    expect(await app.database.db.selectFrom('services').selectAll().execute()).toEqual([]);
    for (const { close } of registries) await close();
  });

  test('a change whose message cannot be written is not noted either', async () => {
    let now = start;
    let isBroken = true;
    let told = 0;
    const { beat, sweep, me, close } = openRegistry({
      clock: () => now,
      onTransition: async () => {
        if (isBroken) throw new Error('no room');
        told++;
      },
    });
    await beat({ type: 'swept', name: 'a' }, me);
    now += 200_000;
    await expect(sweep()).rejects.toThrow('no room');
    isBroken = false;
    await sweep();
    expect(told).toBe(1);
    await close();
  });
});

test('a process registers itself with its lines, and is gone after a clean stop', async () => {
  const own = await startTestApp();
  let found: { version: string; monitoring_status: { lines: { component: string; value: string }[] } }[] = [];
  while (found.length === 0) found = await own.arrange('GET', '/services/api');
  expect(found).toMatchObject([{ name: expect.stringMatching(/:\d+$/), state: 'alive', version }]);
  const values = Object.fromEntries(found[0].monitoring_status.lines.map(({ component, value }) => [component, value]));
  expect(values).toMatchObject({
    version,
    database: expect.stringMatching(/ ms$/),
    'read model': expect.stringMatching(/^0 graphs/),
    queues: '0 ready',
    'event loop delay p99': expect.stringMatching(/ ms$/),
    uptime: expect.stringMatching(/^\d+ s$/),
  });
  await own.close();
  expect(await own.database.db.selectFrom('services').selectAll().execute()).toEqual([]);
});
