import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminToken, type RunningServer, runCommand, startService } from './harness/command.ts';
import { newTestDirectory } from './harness/database.ts';

let server: RunningServer;
const run = (...args: string[]) =>
  runCommand(['qos', ...args], { env: { FAULTLINE_URL: server.url, FAULTLINE_TOKEN: adminToken } });

const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
const start = Date.parse(`${day}T00:00:00Z`) / 1000;
const range = ['--start', day, '--end', day];

async function ask(method: string, path: string, body: unknown): Promise<{ id: string }> {
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
  const answer = await fetch(server.url + path, { method, headers, body: JSON.stringify(body) });
  expect(answer.status, path).toBeLessThan(300);
  return (await answer.json()) as { id: string }; // what is created here has one
}

beforeAll(async () => {
  server = await startService({ FAULTLINE_DATA_DIR: join(await newTestDirectory(), 'data'), FAULTLINE_ROLE: 'api' });
  const team = `/v1/teams/${(await ask('POST', '/v1/teams', { name: 'shop' })).id}`;
  const [api, disk] = [
    { label: 'Api', name: 'a' },
    { label: 'Disk', name: 'd1' },
  ];
  await ask('POST', `${team}/graph`, [
    { source: api, target: disk },
    { source: api, target: { ...disk, name: 'd2' } },
  ]);
  await ask('POST', `${team}/sources`, { name: 'pushed', model: 'push' });
  const { id } = await ask('POST', `${team}/rules`, { name: 'Up' });
  await ask('POST', `${team}/checks`, { name: 'ping', source: 'pushed', threshold: '1:' });
  await ask('PUT', `${team}/rules/${id}/checks`, { checks: ['ping'] });
  await ask('POST', `${team}/configs`, { Api: { qos: 'operation.AND[Disk]' }, Disk: { qos: 'rule.Up' } });
  await ask('POST', `${team}/measurements`, [
    { ...disk, check: 'ping', ts: start, value: 1 },
    { ...disk, check: 'ping', ts: start + 36_000, value: 0 },
    { ...disk, check: 'ping', ts: start + 36_060, value: 1 },
    { ...disk, name: 'd2', check: 'ping', ts: start, value: 1 },
  ]);
});
afterAll(() => server?.stop());

test('a day is computed, shown, and explained down to the minute', async () => {
  const computed = await run('compute', 'shop', '--watch');
  expect(computed).toMatchObject({ code: 0, stderr: '' });
  expect(computed.stdout).toBe(`${day}  success  2/2 chunks, 3 nodes\n`);

  const all = await run('show', 'shop', ...range);
  expect(all.stdout).toMatch(/^Api +1 +\S+ +99\.931 +99\.931 +99\.931 +operation\.AND\[Disk\]$/m);
  const label = await run('show', 'shop', 'Disk', ...range);
  expect(label.stdout).toMatch(/^DAY +% +COVERAGE +NODES +UNKNOWN\n\S+ +99\.966 +20\.9 % +2 +0\n$/);
  expect((await run('show', 'shop', 'Disk', 'd2', ...range)).stdout).toMatch(/^DAY .*\n\S+ +100\.000 +0\.0 %\n$/);
  expect((await run('worst', 'shop', 'Disk', '--limit', '1')).stdout).toMatch(/^NODE .*\nd1 +99\.931 +41\.7 %\n$/);

  const explained = await run('explain', 'shop', 'Api', 'a');
  expect(explained.stdout).toBe(
    [
      `${day} (UTC)`,
      'Api a  99.931 %  operation.AND[Disk]',
      '└─ Disk d1  99.931 %  cost 1m 0s  10:00:00–10:01:00  rule.Up',
      '   └─ check ping  99.931 %  cost 1m 0s  10:00:00–10:01:00',
      '',
    ].join('\n'),
  );
  const json = JSON.parse((await run('explain', 'shop', 'Api', 'a', '--json')).stdout);
  expect(json).toMatchObject({ day, node: { label: 'Api', cost_seconds: 60 } });
});

test('a configuration in a file is tried out, and what would change is shown', async () => {
  const file = join(await newTestDirectory(), 'new.json');
  await writeFile(file, JSON.stringify({ Api: { qos: 'operation.OR[Disk]' }, Disk: { qos: 'rule.Up' } }));
  const tried = await run('compute', 'shop', '--config', file, '--watch');
  expect(tried.code).toBe(0);
  expect(tried.stdout).toMatch(/^Api +99\.931 +100\.000 +\+0\.069 +1$/m);
  expect(tried.stdout).toMatch(/^Api +a +99\.931 +100\.000 +\+0\.069$/m);
});

test('rules are listed with their checks', async () => {
  expect((await run('rules', 'shop')).stdout).toMatch(/^RULE .*\nUp +ping +pushed +1: +-\n$/);
});

test('what cannot be is refused in a sentence', async () => {
  expect(await run('show', 'nobody')).toMatchObject({ code: 1, stderr: expect.stringContaining('no team "nobody"') });
  expect(await run('compute', 'shop', '--day', '2999-01-01')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('has not begun'),
  });
  expect(await run('compute', 'shop', '--config', 'nowhere.json')).toMatchObject({ code: 2 });
});
