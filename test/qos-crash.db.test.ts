import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { newTestDatabase } from './harness/database.ts';
import { freePort } from './harness/postgres.ts';
import { startService } from './harness/service.ts';
import { newHome, until } from './harness/workflows.ts';

const disks = 2000;
const apis = 400;
/** Of twelve: it is killed as soon as so many are done. */
const killAtChunks = [2, 7];

type Run = { id: string; state: string; progress: { chunks: number; done: number; nodes: number } };

test('a service and its worker that are killed while a day is computed go on where they were: no figure is missing, none is doubled', {
  timeout: 240_000,
}, async () => {
  const settings = await newTestDatabase();
  const env = {
    PORT: String(await freePort()),
    FAULTLINE_HOME: await newHome({ 'workflows.yml': '' }),
    FAULTLINE_SECRET_KEY: 'a key for the tests of crashes',
  };
  let service = await startService({ ...settings, env });
  async function ask<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    const headers = { authorization: `Bearer ${service.adminToken}`, 'content-type': 'application/json' };
    const text = body === undefined ? null : JSON.stringify(body);
    const answer = await fetch(service.url + path, { method, headers, body: text });
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Answer; // our own service
  }
  try {
    const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    const { id: teamId } = await ask<{ id: string }>('POST', '/v1/teams', { name: 'crash' });
    const team = `/v1/teams/${teamId}`;
    await arrange(team, day, ask);
    const { runs } = await ask<{ runs: Run[] }>('POST', `${team}/qos/compute`, { day });
    const path = `${team}/qos/runs/${runs[0].id}`;
    const doneAtKill: string[] = [];
    let killedWorkers = 0;
    for (const chunks of killAtChunks) {
      await until(async () => (await ask<Run>('GET', path)).progress.done >= chunks, 'chunks are done', 60_000);
      const { progress } = await ask<Run>('GET', path);
      doneAtKill.push(`${progress.done}/${progress.chunks}`);
      const workers = await listWorkers(service.pid);
      for (const pid of workers) process.kill(pid, 'SIGKILL');
      killedWorkers += workers.length;
      await service.kill();
      service = await startService({ ...settings, env });
    }
    let run: Run | undefined;
    await until(
      async () => {
        run = await ask<Run>('GET', path);
        return run.state !== 'pending' && run.state !== 'progress';
      },
      'the run has ended',
      150_000,
    );
    expect(killedWorkers).toBe(killAtChunks.length);
    process.stdout.write(`killed when ${doneAtKill.join(', ')} chunks were done\n`);
    expect(run).toMatchObject({ state: 'success', progress: { nodes: disks + apis + 1 } });
    expect(run?.progress.done).toBe(run?.progress.chunks);

    const figuresOf = async (label: string) => {
      const query = `label=${label}&day=${day}&limit=10000`;
      return (await ask<{ data: { name: string; value: number }[] }>('GET', `${team}/qos/worst?${query}`)).data;
    };
    for (const [label, count] of [
      ['Disk', disks],
      ['Api', apis],
      ['Web', 1],
    ] as const) {
      const figures = await figuresOf(label);
      expect(new Set(figures.map(({ name }) => name)).size, label).toBe(count);
      expect(figures, label).toHaveLength(count);
      const { data } = await ask<{ data: object[] }>('GET', `${team}/qos?label=${label}&start=${day}&end=${day}`);
      expect(data).toMatchObject([{ day, nodes: count, unknown_nodes: 0 }]);
    }
    // Every disk whose number ends in 7 was down for a tenth of the day, and so was each that depends on one.
    const disksBelow = (await figuresOf('Disk')).filter(({ value }) => value === 90);
    expect(disksBelow).toHaveLength(disks / 10);
    expect((await figuresOf('Web'))[0].value).toBe(90);
    const { deliveries } = await ask<{ deliveries: { event: string }[] }>('GET', '/notification/deliveries?limit=1000');
    // The label once, a hundred nodes and the rest in one.
    expect(deliveries.filter(({ event }) => event === 'qos.changed')).toHaveLength(102);
  } finally {
    await service.kill();
  }
});

/** The workers that the service forked. */
async function listWorkers(parent: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'pid=,ppid=,args=']);
  const rows = stdout.split('\n').map((line) => line.trim().split(/\s+/));
  return rows.flatMap(([pid, ppid, ...args]) =>
    Number(ppid) === parent && args.at(-1) === 'worker' ? [Number(pid)] : [],
  );
}

/** Web ─▶ all Apis ─▶ some Disks each. */
async function arrange(
  team: string,
  day: string,
  ask: <Answer>(method: string, path: string, body?: unknown) => Promise<Answer>,
): Promise<void> {
  const start = Date.parse(`${day}T00:00:00Z`) / 1000;
  const numbers = Array.from({ length: disks }, (_, n) => n);
  await ask('POST', `${team}/graph`, [
    ...numbers.map((n) => ({
      source: { label: 'Api', name: `a${n % apis}` },
      target: { label: 'Disk', name: `d${n}` },
    })),
    ...numbers.slice(0, apis).map((n) => ({
      source: { label: 'Web', name: 'w' },
      target: { label: 'Api', name: `a${n}` },
    })),
  ]);
  await ask('POST', `${team}/sources`, { name: 'pushed', model: 'push' });
  const { id } = await ask<{ id: string }>('POST', `${team}/rules`, { name: 'Up' });
  await ask('POST', `${team}/checks`, { name: 'ping', source: 'pushed', threshold: '1:' });
  await ask('PUT', `${team}/rules/${id}/checks`, { checks: ['ping'] });
  const points = numbers.flatMap((n) => [
    { label: 'Disk', name: `d${n}`, check: 'ping', ts: start, value: n % 10 === 7 ? 0 : 1 },
    { label: 'Disk', name: `d${n}`, check: 'ping', ts: start + 8640, value: 1 },
  ]);
  await ask('POST', `${team}/measurements`, points);
  await ask('POST', `${team}/configs`, {
    Disk: { qos: 'rule.Up' },
    Api: { qos: 'operation.AND[Disk]' },
    Web: { qos: 'operation.AND[Api]' },
  });
  await ask('PUT', `${team}/qos/objectives/Disk`, { target: 99.5, window_days: 30 });
  await ask('POST', '/notification/channels', {
    team_id: team.split('/').at(-1),
    name: 'hook',
    type: 'webhook',
    settings: { url: 'http://127.0.0.1:1/' },
    filters: { labels: ['Disk'] },
  });
}
