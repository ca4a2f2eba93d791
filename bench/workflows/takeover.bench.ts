import { setTimeout as sleep } from 'node:timers/promises';
import { closePostgres } from '../graph/postgres.ts';
import type { BenchCase, Figures, PreparedCase } from '../harness/case.ts';
import { type FaultlineService, startFaultlineService } from './faultline.ts';
import { openEvents } from './faultline-events.ts';
import { createSightings } from './sightings.ts';

/** Long tasks on two workers, one of which is killed: how long until the other one runs what it had. */
export const cases: BenchCase[] = [
  {
    name: 'takeover',
    rounds: 3,
    prepare: ({ isQuick }) => prepare(isQuick ? ['PostgreSQL'] : ['PostgreSQL', 'embedded']),
  },
];

export const close = closePostgres;

type Shape = 'PostgreSQL' | 'embedded';
const instances = 20;

async function prepare(shapes: Shape[]): Promise<PreparedCase> {
  const leaseSeconds = await askLease();
  const row = { figure: 'slowest', unit: 's', better: 'lower', target: { below: leaseSeconds + 1 } } as const;
  const title = `takeover after kill -9 of a worker, lease ${leaseSeconds} s`;
  return {
    contenders: Object.fromEntries(shapes.map((shape) => [shape, () => measure(shape)])),
    rows: shapes.map((shape) => ({ ...row, title: `${title}, ${shape}`, ours: shape })),
    versions: {},
    close: async () => undefined,
  };
}

async function askLease(): Promise<number> {
  const faultline = await startFaultlineService({ shape: 'PostgreSQL', workers: 0 });
  const answer = await ask(faultline, 'POST', '/api/worker/claim', { worker: 'nobody', max: 0 });
  await faultline.stop();
  return ((await answer.json()) as { lease_seconds: number }).lease_seconds; // our own interface
}

async function measure(shape: Shape): Promise<Figures> {
  const faultline = await startFaultlineService({ shape, workers: 2 });
  try {
    const takeovers = createSightings();
    const { url, adminToken: token } = faultline.service;
    const watching = await openEvents({ url, token }, (event, data) => {
      const { task_id: id, attempt, status } = JSON.parse(data) as { task_id: string; attempt: number; status: string }; // our own interface
      if (event === 'task' && attempt === 2 && status === 'progress') takeovers.note(id);
    });
    const ids: string[] = [];
    for (let i = 0; i < instances; i++) ids.push(await startSlow(faultline));
    const holders = await waitForHolders(faultline, ids);
    const [victim] = [...Map.groupBy(holders, ({ worker }) => worker)].toSorted((a, b) => b[1].length - a[1].length);
    const killedAt = performance.now();
    await faultline.workers.find(({ name }) => name === victim[0])?.child.kill();
    const times = await Promise.all(victim[1].map(({ task }) => takeovers.wait(task)));
    await watching.stop();
    return { slowest: (Math.max(...times) - killedAt) / 1000, tasks: times.length };
  } finally {
    await faultline.stop();
  }
}

async function startSlow(faultline: FaultlineService): Promise<string> {
  const answer = await ask(faultline, 'POST', '/api/workflows', { project: 'bench', name: 'SLOW' });
  return ((await answer.json()) as { id: string }).id; // our own interface
}

/** Which worker runs the task of which instance, once all of them run. */
async function waitForHolders(faultline: FaultlineService, ids: string[]): Promise<{ task: string; worker: string }[]> {
  for (;;) {
    const details = await Promise.all(
      ids.map(async (id) => {
        const answer = await ask(faultline, 'GET', `/api/workflows/${id}`);
        return (await answer.json()) as { tasks: { id: string; status: string; worker: string | null }[] }; // our own interface
      }),
    );
    const running = details.flatMap(({ tasks }) => tasks).filter(({ status }) => status === 'progress');
    if (running.length === ids.length) return running.map(({ id, worker }) => ({ task: id, worker: worker ?? '' }));
    await sleep(100);
  }
}

function ask({ service }: FaultlineService, method: string, path: string, body?: object): Promise<Response> {
  const headers: Record<string, string> = { authorization: `Bearer ${service.adminToken}` };
  if (body) headers['content-type'] = 'application/json';
  return fetch(service.url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
}
