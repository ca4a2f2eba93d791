import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { adminToken, createTestClock, startTestApp, type TestApp } from '../../test/harness/app.ts';
import { createChecksStore } from './checks.store.ts';
import { createMeasurementsService } from './measurements.service.ts';
import { createMeasurementsStore } from './measurements.store.ts';

let app: TestApp;
let teamId: string;
let checkId: string;
const clock = createTestClock(Date.parse('2026-11-15T12:00:00Z'));
const now = clock() / 1000;
beforeAll(async () => {
  app = await startTestApp({ clock });
  teamId = (await app.createTeam()).id;
  await arrange('/sources', { name: 'pushed', model: 'push' });
  await arrange('/sources', { name: 'fetched', model: 'prometheus', config: { url: 'https://p.example.com' } });
  checkId = (await arrange('/checks', { name: 'alive', source: 'pushed', threshold: '1:' })).id;
  await arrange('/checks', { name: 'asked', source: 'fetched', query: 'up', threshold: '1:' });
});

const arrange = (path: string, body: unknown, team = teamId) => app.arrange('POST', `/v1/teams/${team}${path}`, body);
const post = (text: string, type = 'application/x-ndjson', headers: Record<string, string> = {}) =>
  app.request('POST', `/v1/teams/${teamId}/measurements`, {
    token: adminToken,
    text,
    headers: { 'content-type': type, ...headers },
  });
const rows = async (name: string) =>
  (
    await app.database.pool.query<{ ts: string; value: number }>(
      'select ts, value from qos_measurements where team_id = $1 and name = $2 order by ts',
      [teamId, name],
    )
  ).rows.map(({ ts, value }) => [Number(ts), value]);
const one = { label: 'Web', check: 'alive', ts: now, value: 1 };
const lines = (...all: unknown[]) => all.map((value) => JSON.stringify(value)).join('\n');

test('lines and arrays are taken, by the id or the name of the check, and a later one replaces the former', async () => {
  const first = await post(lines({ ...one, name: 'a' }, { ...one, name: 'a', ts: now + 0.9, value: true }));
  expect(first.body).toEqual({ accepted: 2, rejected: 0, errors: [] });
  const array = JSON.stringify([{ ...one, name: 'a', check: checkId, value: 7, ts: now - 60 }]);
  expect((await post(array, 'application/json')).body.accepted).toBe(1);
  await post(lines({ ...one, name: 'a', value: 0.5 }));
  expect(await rows('a')).toEqual([
    [now - 60, 7],
    [now, 0.5],
  ]);
});

test('a bad line loses no good one, and is named', async () => {
  const { body } = await post(
    `${[
      '{"label": ',
      '',
      lines(
        { ...one, name: 'b' },
        { ...one },
        { ...one, name: 'b', label: 'web' },
        { ...one, name: 'b', check: 'nobody' },
        { ...one, name: 'b', check: 'asked' },
        { ...one, name: 'b', ts: '1' },
        { ...one, name: 'b', ts: now - 36 * 86_400 },
        { ...one, name: 'b', ts: now * 1000 },
        { ...one, name: 'b', value: '1' },
        { ...one, name: 'b', value: null },
        [one],
        7,
        { ...one, name: 'b\u0000' },
        { ...one, name: 'b', ts: now + 1 },
      ),
    ].join('\n')}\r\n`,
  );
  expect(body).toMatchObject({ accepted: 2, rejected: 13 });
  expect(body.errors.map(({ line, message }: { line: number; message: string }) => `${line} ${message}`)).toEqual([
    '1 the line is not JSON',
    '4 name is missing',
    expect.stringContaining('5 label must'),
    '6 there is no check "nobody"',
    expect.stringMatching(/^7 .*fetched from its source/),
    expect.stringContaining('8 ts must be'),
    expect.stringContaining('9 ts is older'),
    expect.stringContaining('10 ts lies more than a day'),
    expect.stringContaining('11 value must'),
    expect.stringContaining('12 value must'),
    expect.stringContaining('13 a measurement must'),
    expect.stringContaining('14 a measurement must'),
    expect.stringContaining('15 name must not'),
  ]);
  expect(await rows('b')).toHaveLength(2);
});

test('many are written in batches, and sending them again changes nothing', async () => {
  const many = lines(...Array.from({ length: 6000 }, (_, n) => ({ ...one, name: `many`, ts: now - n, value: n })));
  for (let again = 0; again < 2; again++) {
    expect((await post(many)).body).toEqual({ accepted: 6000, rejected: 0, errors: [] });
    const stored = await rows('many');
    expect([stored.length, stored[0], stored.at(-1)]).toEqual([6000, [now - 5999, 5999], [now, 0]]);
  }
});

test('what is no stream of measurements is refused', async () => {
  expect((await post('{}', 'application/json')).status).toBe(400);
  expect((await post('x', 'text/plain')).status).toBe(415);
  expect((await post('x', 'application/x-ndjson', { 'content-encoding': 'gzip' })).status).toBe(415);
  expect((await post('')).body).toEqual({ accepted: 0, rejected: 0, errors: [] });
});

test('a check that is deleted while its measurements arrive makes rejected lines', async () => {
  const { pool } = app.database;
  const team = (await app.createTeam()).id;
  const source = await arrange('/sources', { name: 'pushed', model: 'push' }, team);
  const gone = await arrange('/checks', { name: 'gone', source: source.id, threshold: 1 }, team);
  await arrange('/checks', { name: 'stays', source: source.id, threshold: 1 }, team);
  const checks = createChecksStore(pool);
  const before = await checks.list(team);
  await app.arrange('DELETE', `/v1/teams/${team}/checks/${gone.id}`);
  let isFirst = true;
  const service = createMeasurementsService({
    store: createMeasurementsStore(pool),
    checks: {
      list: async (id) => {
        if (!isFirst) return checks.list(id);
        isFirst = false;
        return before;
      },
    },
    metricSources: { list: async () => [{ ...source, secrets: {}, team_id: team, protocol: 'push' }] },
    keepDays: 35,
    clock,
  });
  const bytes = Buffer.from(lines({ ...one, name: 'x', check: 'gone' }, { ...one, name: 'x', check: 'stays' }));
  async function* batches() {
    yield { firstLine: 1, lines: 2, bytes };
  }
  const actor = { userId: null, userName: 'somebody', address: null, requestId: randomUUID() };
  expect(await service.ingest(team, batches(), actor)).toEqual({
    accepted: 1,
    rejected: 1,
    errors: [{ line: 1, message: 'there is no check "gone"' }],
  });
});

test('with a check, and with a team, go their measurements, and nothing else', async () => {
  const { pool } = app.database;
  const team = (await app.createTeam()).id;
  await arrange('/sources', { name: 'pushed', model: 'push' }, team);
  const count = async () =>
    Number((await pool.query('select count(*) from qos_measurements where team_id = $1', [team])).rows[0].count);
  const ids: string[] = [];
  for (const name of ['first', 'second']) {
    ids.push((await arrange('/checks', { name, source: 'pushed', threshold: 1 }, team)).id);
    await arrange('/measurements', [{ ...one, name: 'x', check: name }], team);
  }
  await post(lines({ ...one, name: 'other team' }));
  expect(await count()).toBe(2);
  await app.arrange('DELETE', `/v1/teams/${team}/checks/${ids[0]}`);
  expect(await count()).toBe(1);
  await app.arrange('DELETE', `/v1/teams/${team}`);
  expect(await count()).toBe(0);
  expect(await rows('other team')).toHaveLength(1);
});

test('what is too old is swept, and nothing else', async () => {
  const { pool } = app.database;
  await post(lines({ ...one, name: 'kept' }));
  await pool.query(
    `insert into qos_measurements (team_id, check_id, label, name, ts, value)
     select $1, $2, 'Web', 'old', $3 - n, 1 from generate_series(1, 6000) n`,
    [teamId, checkId, now - 35 * 86_400],
  );
  const sources = { list: async () => [] };
  const service = createMeasurementsService({
    store: createMeasurementsStore(pool),
    checks: createChecksStore(pool),
    metricSources: sources,
    keepDays: 35,
    clock,
  });
  expect(await service.sweep()).toBe(6000);
  expect(await rows('old')).toEqual([]);
  expect(await rows('kept')).toEqual([[now, 1]]);
});
