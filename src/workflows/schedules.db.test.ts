import { expect, test } from 'vitest';
import { createTestClock } from '../../test/harness/app.ts';
import { openTestDatabase, silentLog } from '../../test/harness/database.ts';
import { newHome, startWorkflowApp, until } from '../../test/harness/workflows.ts';
import { createDefinitions } from './definitions/definitions.service.ts';
import { createEngineStore } from './engine.store.ts';
import type { InstancesService } from './instances.service.ts';
import { createSchedulesService } from './schedules.service.ts';
import { createSchedulesStore } from './schedules.store.ts';

const workflows = `
t.EVERY: { periodic: { interval: 60, payload: { by: clock } }, tasks: [ A ] }
t.CRON: { periodic: { crontab: "30 2 * * *", timezone: Europe/Paris }, tasks: [ A ] }
t.SKIPPING: { periodic: { interval: 60 }, overlap: skip, tasks: [ A ] }
t.PLAIN: { tasks: [ A ] }
`;

type Listed = { fullname: string; next_run?: string | null; paused?: boolean };

test('schedules start instances by the clock, in the real service', async () => {
  const app = await startWorkflowApp({
    workflows: 't.OFTEN: { periodic: { interval: 1, payload: { by: clock } }, tasks: [ A ] }',
  });
  const list = () => app.arrange('GET', '/api/workflows?periodic=true');
  await until(async () => (await list()).length >= 2, 'two ticks have passed');
  const [newest] = await list();
  expect(newest).toMatchObject({ fullname: 't.OFTEN', periodic: true, payload: { by: 'clock' } });
  const run = await app.arrange('POST', '/api/definitions/t.OFTEN/run');
  expect(run).toMatchObject({ periodic: false, payload: { by: 'clock' } });
  await app.arrange('POST', '/api/definitions/t.OFTEN/pause');
});

test('definitions say when they run next, and pause and resume', async () => {
  const clock = createTestClock(Date.parse('2026-11-15T12:00:00Z'));
  const app = await startWorkflowApp({ workflows, clock });
  const next = async () =>
    Object.fromEntries(
      (await app.arrange('GET', '/api/definitions')).map((one: Listed) => [one.fullname, [one.next_run, one.paused]]),
    );
  expect(await next()).toEqual({
    't.CRON': ['2026-11-16T01:30:00.000Z', false],
    't.EVERY': ['2026-11-15T12:01:00.000Z', false],
    't.PLAIN': [undefined, undefined],
    't.SKIPPING': ['2026-11-15T12:01:00.000Z', false],
  });
  expect((await app.tryTo('POST', '/api/definitions/t.EVERY/pause')).status).toBe(200);
  expect((await next())['t.EVERY']).toEqual([null, true]);
  clock.advance(30_000);
  expect((await app.tryTo('POST', '/api/definitions/t.EVERY/resume')).status).toBe(200);
  expect((await next())['t.EVERY']).toEqual(['2026-11-15T12:01:30.000Z', false]);
  expect((await app.tryTo('POST', '/api/definitions/t.PLAIN/pause')).status).toBe(409);
  expect((await app.tryTo('POST', '/api/definitions/t.NONE/pause')).status).toBe(404);
  const { rows } = await app.database.pool.query(
    `select action from audit_log where action like 'schedule.%' order by id`,
  );
  expect(rows.map(({ action }) => action)).toEqual(['schedule.pause', 'schedule.resume']);
});

test('a tick of a workflow that may not overlap is skipped while one runs', async () => {
  const clock = createTestClock();
  const app = await startWorkflowApp({ workflows, clock });
  clock.advance(60_000);
  const count = async (name: string) => (await app.arrange('GET', `/api/workflows?name=${name}`)).length;
  await until(async () => (await count('SKIPPING')) === 1 && (await count('EVERY')) === 1, 'the first tick has passed');
  clock.advance(60_000);
  await until(async () => (await count('EVERY')) === 2, 'the second tick has passed');
  expect(await count('SKIPPING')).toBe(1);
});

/** Two processes on one database, which stop where the test says. */
async function twoSchedulers(yaml: string, clock: () => number) {
  const database = await openTestDatabase();
  const { pool } = database;
  const fired: string[] = [];
  const make = async (name: string, pause?: (point: 'tick taken') => Promise<void>) => {
    const definitions = await createDefinitions({
      home: await newHome({ 'workflows.yml': yaml }, ['A']),
      log: silentLog,
    });
    const store = createEngineStore(pool, { leaseSeconds: 8 });
    const instances: Pick<InstancesService, 'prepare' | 'startScheduled' | 'wake'> = {
      prepare: async () => undefined,
      async startScheduled(client) {
        // In the transaction: what is rolled back was not fired.
        await client.query(`insert into workflow_queues (name) values ($1)`, [`${name} ${Math.random()}`]);
        fired.push(name);
        return { id: '', created: '', isNew: true };
      },
      wake: () => undefined,
    };
    const service = createSchedulesService({
      store,
      schedules: createSchedulesStore(pool),
      definitions,
      instances,
      clock,
      log: silentLog,
      ...(pause && { pause }),
    });
    return { service, definitions };
  };
  const count = async () =>
    Number((await pool.query(`select count(*) as n from workflow_queues where name like 'p_ %'`)).rows[0].n);
  return { make, fired, count, kind: database.kind };
}

const once = 't.EVERY: { periodic: { interval: 60 }, tasks: [ A ] }';

test('two processes that come for the same tick fire it once', async () => {
  const clock = createTestClock();
  const { make, count, kind } = await twoSchedulers(once, clock);
  let release = () => {};
  let taken = () => {};
  const isTaken = new Promise<void>((resolve) => (taken = resolve));
  const goOn = new Promise<void>((resolve) => (release = resolve));
  const first = await make('p1', async () => {
    taken();
    await goOn;
  });
  const second = await make('p2');
  await first.service.start();
  await second.service.start();
  await Promise.all([first.service.close(), second.service.close()]);
  clock.advance(61_000);
  const one = first.service.run();
  await isTaken;
  const two = second.service.run();
  // On a server the second finds the row taken and goes; the embedded database lets it in only afterwards.
  if (kind === 'postgres') await two;
  expect(kind === 'postgres' ? await count() : 0).toBe(0);
  release();
  await Promise.all([one, two]);
  expect(await count()).toBe(1);
  for (const { definitions } of [first, second]) definitions.close();
});

test('a process that dies within a tick leaves it to the next', async () => {
  const clock = createTestClock();
  const { make, count, fired } = await twoSchedulers(once, clock);
  const dying = await make('p1', () => Promise.reject(new Error('killed')));
  const next = await make('p2');
  await dying.service.start();
  await dying.service.close();
  clock.advance(61_000);
  await expect(dying.service.run()).rejects.toThrow('killed');
  expect(await count()).toBe(0);
  await next.service.run();
  await next.service.run();
  expect([await count(), fired]).toEqual([1, ['p2']]);
  for (const { definitions } of [dying, next]) definitions.close();
});

test.each([
  ['skip', 0],
  ['once', 1],
  ['all', 5],
])('after five missed ticks, missed: %s fires %i', async (missed, runs) => {
  const clock = createTestClock();
  const { make, count } = await twoSchedulers(
    `t.EVERY: { periodic: { interval: 60, missed: ${missed} }, tasks: [ A ] }`,
    clock,
  );
  const { service, definitions } = await make('p1');
  await service.start();
  await service.close();
  clock.advance(5 * 60_000 + 1000);
  await service.run();
  expect(await count()).toBe(runs);
  const { next_run: next } = (await service.list()).get('t.EVERY') ?? {};
  expect(next && next.getTime() - clock()).toBe(59_000);
  definitions.close();
});
