import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminToken, type RunningServer, runCommand, startService } from './harness/command.ts';
import { newTestDirectory } from './harness/database.ts';

let server: RunningServer;
const run = (...args: string[]) =>
  runCommand(args, { env: { FAULTLINE_URL: server.url, FAULTLINE_TOKEN: adminToken } });

async function beat(body: object): Promise<void> {
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
  const answer = await fetch(`${server.url}/services/heartbeat`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(204);
}

beforeAll(async () => {
  server = await startService({ FAULTLINE_DATA_DIR: join(await newTestDirectory(), 'data') });
});
afterAll(() => server?.stop());

test('services are listed by type or all, as a table or as JSON, and deleted', async () => {
  const lines = [{ status: 'AL', component: 'disk', value: 'full' }];
  await beat({ type: 'indexer', name: 'host 1/a', version: '2.0', monitoring_status: { lines } });
  const one = await run('service', 'list', 'indexer');
  expect(one).toMatchObject({ code: 0, stderr: '' });
  expect(one.stdout).toMatch(/^TYPE +NAME +STATE +HEALTH .*\nindexer +host 1\/a +alive +AL +2\.0 .* disk: full\n$/);
  expect((await run('service', 'indexer')).stdout).toBe(one.stdout);

  const all = await run('service');
  expect(all.stdout).toMatch(/^api +\S+:\d+ +alive +OK/m);
  expect(all.stdout).toContain('indexer');
  expect(JSON.parse((await run('service', 'list', 'indexer', '--json')).stdout)).toMatchObject([{ name: 'host 1/a' }]);
  expect((await run('service', 'types')).stdout).toMatch(/^indexer +1 +0$/m);

  expect(await run('service', 'delete', 'indexer', 'host 1/a')).toMatchObject({
    code: 0,
    stdout: 'Deleted the service indexer host 1/a.\n',
  });
  expect((await run('service', 'list', 'indexer')).stdout).toBe('No services of the type indexer.\n');
  expect(await run('service', 'delete', 'indexer', 'host 1/a')).toMatchObject({ code: 1 });
});

test('the worker of the service is in the registry beside it', async () => {
  let found: { name: string }[] = [];
  while (found.length === 0) found = JSON.parse((await run('service', 'list', 'worker', '--json')).stdout);
  expect(found).toMatchObject([{ state: 'alive', health: 'OK' }]);
});
