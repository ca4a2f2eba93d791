import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { type Child, startChild } from './harness/child.ts';
import { newTestDatabase, newTestDirectory } from './harness/database.ts';
import { freePort } from './harness/postgres.ts';
import { type Service, startService } from './harness/service.ts';
import { type Instance, newHome } from './harness/workflows.ts';
import { findFaults, journalTasks, readJournal } from './workflow-journal.ts';

/**
 * The service and three workers, as people run them, are killed and started again at random while instances are started and run.
 * FAULTLINE_CRASH_SECONDS makes it longer.
 */
const seconds = Number(process.env['FAULTLINE_CRASH_SECONDS'] ?? 15);
const instances = 300;
const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

const workflows = `
t.DAG:
  retry: { attempts: 3, delay: 0.1 }
  tasks:
    - A
    - MIDDLE: { type: group, tasks: [ B, C, { THEN: { type: chain, tasks: [ D, E ] } } ] }
    - EACH: { type: foreach, over: "results.A.list", task: F, concurrency: 2 }
    - G: { when: "payload.n >= 0" }
`;

test('every instance that was acknowledged ends, with each result recorded once and nothing out of order', {
  timeout: seconds * 1000 + 240_000,
}, async () => {
  const journalPath = join(await newTestDirectory(), 'journal');
  const home = await newHome({
    'workflows.yml': workflows,
    'tasks/work.mjs': journalTasks(journalPath, [...'ABCDEFG']),
  });
  const settings = await newTestDatabase();
  const port = String(await freePort());
  const env = { PORT: port, FAULTLINE_ROLE: 'api', FAULTLINE_HOME: home };
  const startApi = (): Promise<Service> => startService({ ...settings, env });
  let api = await startApi();
  const { url, adminToken } = api;
  let workerNumber = 0;
  const startWorker = (): Promise<Child> =>
    startChild({
      script: main,
      args: ['worker'],
      env: {
        FAULTLINE_URL: url,
        FAULTLINE_TOKEN: adminToken,
        FAULTLINE_HOME: home,
        FAULTLINE_WORKER_NAME: `worker-${workerNumber++}`,
        FAULTLINE_WORKER_CONCURRENCY: '20',
        FAULTLINE_LOG: 'info',
      },
      ready: /worker started/,
    });
  const workers = await Promise.all([startWorker(), startWorker(), startWorker()]);

  async function ask<T>(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<T> {
    const answer = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${adminToken}`,
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body && JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    return JSON.parse(text) as T; // each caller names the shape that the interface promises
  }

  const acknowledged = new Set<string>();
  const end = Date.now() + seconds * 1000;
  const paceMs = (seconds * 800) / instances;
  async function startAll(): Promise<void> {
    for (let n = 0; n < instances; n++) {
      for (;;) {
        // Whoever got no answer asks again with the same key: no instance is started twice.
        const headers = { 'idempotency-key': `instance ${n}` };
        const body = { project: 't', name: 'DAG', payload: { n } };
        const made = await ask<{ id: string }>('POST', '/api/workflows', body, headers).catch(() => undefined);
        if (made) acknowledged.add(made.id);
        if (made) break;
        await delay(50);
      }
      await delay(Math.random() * 2 * paceMs);
    }
  }
  const starting = startAll();
  const kills = { api: 0, worker: 0 };
  try {
    while (Date.now() < end) {
      await delay(300 + Math.random() * 2200);
      if (Math.random() < 0.4) {
        await api.kill();
        api = await startApi();
        kills.api++;
      } else {
        const victim = Math.floor(Math.random() * workers.length);
        await workers[victim].kill();
        workers[victim] = await startWorker();
        kills.worker++;
      }
    }
    await starting;
    expect(acknowledged.size).toBe(instances);
    const patience = Date.now() + 150_000;
    const list = () => ask<Instance[]>('GET', '/api/workflows?per_page=1000&with_payload=false');
    const isOpen = ({ finished }: Instance) => finished === null;
    while ((await list()).some(isOpen) && Date.now() < patience) await delay(300);
    const listed = await list();
    expect(listed.filter(isOpen).map(({ id, status }) => [id, status])).toEqual([]);
    expect(new Set(listed.map(({ id }) => id))).toEqual(acknowledged);
    const found = [];
    for (const { id } of listed) found.push(await ask<Instance>('GET', `/api/workflows/${id}`));
    const journal = await readJournal(journalPath);
    expect(findFaults(found, journal)).toEqual([]);
    // A task may lose so many workers that it is given up; nothing else fails here.
    const messages = found.flatMap(({ tasks }) => tasks.flatMap(({ error }) => error?.message ?? []));
    expect(messages.filter((text) => !/died or fell silent|failed: Its worker/.test(text))).toEqual([]);
    const lost = new Set(journal.filter(({ attempt }) => attempt > 1).map(({ task }) => task)).size;
    const failed = found.filter(({ status }) => status !== 'success').length;
    process.stdout.write(
      `${seconds} s: ${found.length} instances, ${failed} failed, ${journal.length} lines, ${lost} tasks tried again, ` +
        `${kills.api} kills of the service, ${kills.worker} of workers\n`,
    );
    expect(kills.api + kills.worker).toBeGreaterThan(2);
  } finally {
    await Promise.all([api.kill(), ...workers.map((worker) => worker.kill())]);
  }
});

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
