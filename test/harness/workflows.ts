import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import type { Clock } from '../../src/clock.ts';
import type { Database } from '../../src/db/open.ts';
import type { ReportAnswer, WorkerTask } from '../../src/workflows/worker.schemas.ts';
import type { WorkflowLimits } from '../../src/workflows/workflows.service.ts';
import { adminToken, startTestApp } from './app.ts';
import { newTestDirectory } from './database.ts';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
/** As the interface answers it. */
export type Task = {
  id: string;
  key: string;
  parent: string | null;
  element: number | null;
  child: string | null;
  message: string | null;
  status: string;
  previous: string[];
  is_hook: boolean;
  is_skipped: boolean;
  attempt: number;
  result: Json;
  error: { message: string } | null;
  worker: string | null;
  started: string | null;
  finished: string | null;
  progress: number | null;
};
export type Instance = {
  id: string;
  fullname: string;
  status: string;
  periodic: boolean;
  payload: Json;
  created: string;
  started: string | null;
  finished: string | null;
  comment: string | null;
  relaunched_from: string | null;
  error?: { message: string };
  parent: { instance: string; task: string } | null;
  tasks: Task[];
};

/** A home in a temporary directory; the tasks of its workflows are offered by workers of the test. */
export async function newHome(files: Record<string, string>, remote: string[] = []): Promise<string> {
  const home = await newTestDirectory();
  const all = { ...files, ...(remote.length > 0 && { 'tasks/remote.yml': JSON.stringify(remote) }) };
  for (const [name, text] of Object.entries(all)) {
    await mkdir(dirname(join(home, name)), { recursive: true });
    await writeFile(join(home, name), text);
  }
  return home;
}

export const letters = [...'ABCDEFGHIJ'];

export type WorkflowApp = Awaited<ReturnType<typeof startWorkflowApp>>;

/** A whole service whose workflows are those of the text; tasks are A to J unless told. */
export async function startWorkflowApp(options: {
  workflows: string;
  tasks?: string[];
  files?: Record<string, string>;
  limits?: Partial<WorkflowLimits>;
  database?: Database;
  clock?: Clock;
}) {
  const { workflows, tasks = letters, files = {}, limits, database, clock } = options;
  const home = await newHome({ 'workflows.yml': workflows, ...files }, tasks);
  const app = await startTestApp({
    config: { home },
    ...(limits && { workflowLimits: limits }),
    ...(database && { database }),
    ...(clock && { clock }),
  });
  expect(await app.arrange('GET', '/api/definitions/faults')).toEqual([]);
  return { ...app, home, ...callsOf(app) };
}

function callsOf(app: Awaited<ReturnType<typeof startTestApp>>) {
  const token = adminToken;
  async function start(fullname: string, payload: Json = {}, headers: Record<string, string> = {}): Promise<Instance> {
    const [project, name] = fullname.split('.');
    const answer = await app.request('POST', '/api/workflows', { token, body: { project, name, payload }, headers });
    expect(answer.status, answer.text).toBe(201);
    return answer.body;
  }
  const detail = (id: string): Promise<Instance> => app.arrange('GET', `/api/workflows/${id}`);
  const ended = async (id: string): Promise<Instance> => {
    let found = await detail(id);
    await until(async () => (found = await detail(id)).finished !== null, `${id} has ended`);
    return found;
  };
  return {
    start,
    detail,
    /** Waits until it has ended. */
    ended,
    tryTo: (method: string, path: string, body?: unknown) => app.request(method, path, { token, body }),
    worker: (name = 'worker-1') => createWorker(app, name),
    /** Does all there is to do until the instance has ended, as `act` says; completes with the task's key unless told. */
    async run(id: string, act: Act = () => undefined): Promise<Instance> {
      const worker = createWorker(app, 'runner');
      for (let rounds = 0; rounds < 5000; rounds++) {
        // Without a wait: what is claimed for one whose wait is just over is handed back, and has lost an attempt.
        const tasks = await worker.claim({ max: 100 });
        for (const task of tasks) await worker.act(task, await act(task));
        if (tasks.length > 0) continue;
        const instance = await detail(id);
        if (instance.finished !== null) return instance;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      throw new Error(`${id} did not end: ${JSON.stringify(await detail(id))}`);
    },
  };
}

/** What a task of a test does; nothing is success with its key as the result. */
export type Outcome = { result: Json } | { error: string; retryable?: boolean } | 'release' | 'die' | undefined;
export type Act = (task: WorkerTask) => Outcome | Promise<Outcome>;

/** A worker that does what the test tells it, one request at a time. */
export function createWorker(app: Pick<Awaited<ReturnType<typeof startTestApp>>, 'request'>, name: string) {
  async function post(path: string, body: object) {
    const answer = await app.request('POST', path, { token: adminToken, body: { worker: name, ...body } });
    expect(answer.status, answer.text).toBe(200);
    return answer.body;
  }
  const report = (body: object): Promise<ReportAnswer> => post('/api/worker/report', body);
  const refer = ({ id, attempt }: Pick<WorkerTask, 'id' | 'attempt'>) => ({ id, attempt });
  return {
    name,
    async claim(options: object = {}): Promise<WorkerTask[]> {
      return (await post('/api/worker/claim', options)).tasks;
    },
    /** Exactly one task, which must be there within a few seconds. */
    async take(options: object = {}): Promise<WorkerTask> {
      const { tasks } = await post('/api/worker/claim', { max: 1, wait_seconds: 20, ...options });
      expect(tasks).toHaveLength(1);
      return tasks[0];
    },
    report,
    complete: (task: WorkerTask, result: Json = task.key, more: object = {}) =>
      report({ completed: [{ ...refer(task), result }], ...more }),
    fail: (task: WorkerTask, message = 'broken', more: { retryable?: boolean } = {}) =>
      report({ failed: [{ ...refer(task), error: { message }, ...more }] }),
    async act(task: WorkerTask, outcome: Outcome): Promise<void> {
      if (outcome === 'die') return;
      if (outcome === 'release') await report({ released: [refer(task)] });
      else if (outcome === undefined) await report({ completed: [{ ...refer(task), result: task.key }] });
      else if ('result' in outcome) await report({ completed: [{ ...refer(task), result: outcome.result }] });
      else {
        const { error, retryable = true } = outcome;
        await report({ failed: [{ ...refer(task), error: { message: error }, retryable }] });
      }
    },
  };
}

/** Asks again until it is so. Patient, because machines are slow; a test that fails here would otherwise hang. */
export async function until(isSo: () => Promise<boolean> | boolean, what: string, patienceMs = 30_000): Promise<void> {
  const end = Date.now() + patienceMs;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`It never came that ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

/** `{ A: 'success', … }`, elements of a foreach as `X[0]`, hooks as `hook:X`. */
export const statusesOf = ({ tasks }: Pick<Instance, 'tasks'>): Record<string, string> =>
  Object.fromEntries(
    tasks.map(({ key, status, is_hook, is_skipped }) => [
      is_hook ? `hook:${key}` : key,
      is_skipped ? 'skipped' : status,
    ]),
  );

export const taskOf = ({ tasks }: Pick<Instance, 'tasks'>, key: string): Task => {
  const found = tasks.find((task) => task.key === key);
  if (!found) throw new Error(`There is no task ${key}.`);
  return found;
};
