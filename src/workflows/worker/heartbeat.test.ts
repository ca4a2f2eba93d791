import { expect, test } from 'vitest';
import { beatBody } from '../../platform/services/services.schemas.ts';
import { startWorker, until } from './testing/worker-under-test.ts';

test('a worker is in the registry from its start to its end', async () => {
  const { server, worker } = await startWorker({ 'tasks/a.ts': 'export const A = () => 1;' }, { queues: ['video'] });
  await until(() => server.registry.length > 0);
  const [{ method, url, body }] = server.registry;
  expect(`${method} ${url}`).toBe('POST /services/heartbeat');
  expect(beatBody.parse(JSON.parse(body))).toMatchObject({
    type: 'worker',
    name: 'tester:1',
    metadata: { concurrency: 10, pid: process.pid },
    monitoring_status: {
      lines: expect.arrayContaining([
        { status: 'OK', component: 'tasks', value: '0 of 10' },
        { status: 'OK', component: 'queues', value: 'video' },
      ]),
    },
  });
  await worker.stop();
  expect(server.registry.at(-1)).toMatchObject({ method: 'DELETE', url: '/services/worker/tester%3A1' });
});
