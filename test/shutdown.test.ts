import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { adminToken, startService } from './harness/command.ts';
import { newTestDirectory } from './harness/database.ts';

test('SIGTERM: the request in flight is answered, then the exit code is 0', async () => {
  const dataDir = join(await newTestDirectory(), 'data');
  const server = await startService({ FAULTLINE_DATA_DIR: dataDir });
  const { hostname, port } = new URL(server.url);
  const body = JSON.stringify({ name: 'kept' });
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk.toString();
  });
  socket.write(
    `POST /v1/teams HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminToken}\r\nContent-Type: application/json\r\n` +
      `Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  // "100 Continue" proves that the server has begun with the request.
  await once(socket, 'data');
  server.signal('SIGTERM');
  await untilRefused(server.url);
  socket.write(body);
  await once(socket, 'close');
  expect(answer).toContain('HTTP/1.1 201 Created');
  expect(await server.ended).toMatchObject({ code: 0, stderr: '' });

  const again = await startService({ FAULTLINE_DATA_DIR: dataDir });
  const teams = await fetch(`${again.url}/v1/teams`, { headers: { authorization: `Bearer ${adminToken}` } });
  expect(await teams.json()).toMatchObject({ teams: [{ name: 'kept' }] });
  expect((await again.stop()).code).toBe(0);
});

async function untilRefused(url: string): Promise<void> {
  for (;;) {
    const isRefused = await fetch(`${url}/api/ping`).then(
      ({ ok }) => !ok,
      () => true,
    );
    if (isRefused) return;
  }
}
