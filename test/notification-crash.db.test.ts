import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { newTestDatabase } from './harness/database.ts';
import { freePort } from './harness/postgres.ts';
import { startService } from './harness/service.ts';
import { newHome, until } from './harness/workflows.ts';

const rounds = 2;
const perRound = 12;
const canary = 'canary-of-the-webhook-key';

test('a service that is killed between event and delivery loses nothing, and repeats only under the same id', {
  timeout: 240_000,
}, async () => {
  /** Ids of deliveries, by instance; all that arrived, and those that were accepted. */
  const [arrived, accepted] = [new Map<string, Set<string>>(), new Map<string, string[]>()];
  let calls = 0;
  const receiver = createServer((request, response) => {
    void json(request).then(async (body) => {
      const { id, data } = body as { id: string; data: { workflow: { id: string } } }; // what our own sender writes
      const instance = data.workflow.id;
      calls++;
      arrived.set(instance, (arrived.get(instance) ?? new Set()).add(id));
      // Some are slow, so that the service dies while it waits for the answer; some are refused.
      if (calls % 3 === 0) await delay(400);
      if (calls % 9 === 0) return response.writeHead(500).end();
      accepted.set(instance, [...(accepted.get(instance) ?? []), id]);
      return response.end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo; // it listens on a port

  const settings = await newTestDatabase();
  const home = await newHome({
    'workflows.yml': 't.NAP: { tasks: [ { NAP: { type: task, run: sleep, with: { seconds: 0 } } } ] }',
  });
  const env = {
    PORT: String(await freePort()),
    FAULTLINE_ROLE: 'api',
    FAULTLINE_HOME: home,
    FAULTLINE_OUTBOUND_ALLOW: '127.0.0.1',
    FAULTLINE_LOG: 'debug',
    FAULTLINE_SECRET_KEY: 'a key for the tests of crashes',
  };
  let service = await startService({ ...settings, env });
  const outputs: string[] = [];
  const ask = async (path: string, body: object): Promise<{ id: string }> => {
    const headers = { authorization: `Bearer ${service.adminToken}`, 'content-type': 'application/json' };
    const answer = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as { id: string }; // everything that is created here has one
  };
  const team = await ask('/v1/teams', { name: 'ops' });
  const url = `http://127.0.0.1:${port}/`;
  const channel = { team_id: team.id, name: 'hook', type: 'webhook', settings: { url, secret: canary } };
  // The service itself turns stale when it is killed, which is not asked about here.
  await ask('/notification/channels', { ...channel, on_success: 'always', filters: { projects: ['t'] } });

  const acknowledged = new Set<string>();
  try {
    for (let round = 0; round < rounds; round++) {
      const starting = Array.from({ length: perRound }, () =>
        ask('/api/workflows', { project: 't', name: 'NAP' }).then(
          ({ id }) => acknowledged.add(id),
          () => undefined,
        ),
      );
      await Promise.all(starting);
      await delay(round * 250);
      await service.kill();
      outputs.push(service.output());
      service = await startService({ ...settings, env });
    }
    await until(
      () => [...acknowledged].every((id) => accepted.has(id)),
      'every instance that was acknowledged has been told',
      150_000,
    );
    expect(acknowledged.size).toBe(rounds * perRound);
    const doubled = [...arrived].filter(([, ids]) => ids.size !== 1);
    expect(doubled).toEqual([]);
    const repeated = [...accepted.values()].filter((ids) => ids.length > 1).length;
    process.stdout.write(
      `${acknowledged.size} instances, ${calls} calls, ${repeated} accepted more than once under the same id\n`,
    );
    expect([...outputs, service.output()].join('')).not.toContain(canary);
  } finally {
    await service.kill();
    receiver.close();
  }
});

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
