import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { claimBody, type ReportRequest, reportBody, type WorkerTask } from '../../worker.schemas.ts';

type Row = {
  task: WorkerTask;
  status: 'ready' | 'running' | 'completed' | 'failed';
  worker?: string;
  leaseUntil: number;
  result?: unknown;
  error?: { message: string; stack?: string };
  retryable?: boolean;
  lines: string[];
  progress: number[];
  releases: number;
  renewals: number;
  /** How often a result was recorded: never more than once. */
  recorded: number;
};

/** A service of its own for tests: a list of tasks with leases behind the protocol's two routes, recording everything. */
export async function startProtocolServer(options: { leaseSeconds?: number; token?: string } = {}) {
  const leaseSeconds = options.leaseSeconds ?? 10;
  const rows = new Map<string, Row>();
  const canceled = new Set<string>();
  const claims: unknown[] = [];
  const reports: ReportRequest[] = [];
  const waiting = new Set<() => void>();
  /** Answers instead of the usual one, first come first served. */
  const faults: Array<{ path: 'claim' | 'report'; status: number | 'drop'; message?: string }> = [];
  const sizes: number[] = [];
  /** What came for the registry of services. */
  const registry: Array<{ method: string | undefined; url: string; body: string }> = [];

  function add(run: string, more: Partial<WorkerTask> = {}): string {
    const id = randomUUID();
    const instance = { id: randomUUID(), project: 'shop', name: 'ORDER', fullname: 'shop.ORDER' };
    const basics = {
      id,
      key: run,
      run,
      queue: 'celery',
      attempt: 1,
      payload: {},
      previous: null,
      results: {},
      instance,
    };
    const counters = { leaseUntil: 0, lines: [], progress: [], releases: 0, renewals: 0, recorded: 0 };
    rows.set(id, { task: { ...basics, ...more }, status: 'ready', ...counters });
    wake();
    return id;
  }

  function wake(): void {
    for (const one of waiting) one();
    waiting.clear();
  }

  function hand(worker: string, max: number, tasks: string[] | undefined, queues: string[] | undefined): WorkerTask[] {
    const now = Date.now();
    const given: WorkerTask[] = [];
    for (const row of rows.values()) {
      if (given.length >= max) break;
      if (row.status === 'running' && row.leaseUntil < now) {
        row.status = 'ready';
        row.task = { ...row.task, attempt: row.task.attempt + 1 };
      }
      if (row.status !== 'ready') continue;
      if ((tasks && !tasks.includes(row.task.run)) || (queues && !queues.includes(row.task.queue))) continue;
      Object.assign(row, { status: 'running', worker, leaseUntil: now + leaseSeconds * 1000 });
      given.push(row.task);
    }
    return given;
  }

  const canceledOf = (worker: string): string[] =>
    [...canceled].filter((id) => rows.get(id)?.status === 'running' && rows.get(id)?.worker === worker);

  function record(report: ReportRequest) {
    reports.push(report);
    const rejected: Array<{ id: string; reason: string }> = [];
    const own = (ref: { id: string; attempt: number }): Row | undefined => {
      const row = rows.get(ref.id);
      const isOwn = row?.status === 'running' && row.worker === report.worker && row.task.attempt === ref.attempt;
      if (!isOwn) rejected.push({ id: ref.id, reason: 'no longer yours' });
      return isOwn ? row : undefined;
    };
    for (const { id, lines } of report.logs) rows.get(id)?.lines.push(...lines);
    for (const one of report.completed) {
      const row = own(one);
      if (row) Object.assign(row, { status: 'completed', result: one.result, recorded: row.recorded + 1 });
    }
    for (const one of report.failed) {
      const row = own(one);
      const { error, retryable } = one;
      if (row) Object.assign(row, { status: 'failed', error, retryable, recorded: row.recorded + 1 });
    }
    for (const one of report.released) {
      const row = own(one);
      if (row) Object.assign(row, { status: 'ready', releases: row.releases + 1 });
    }
    for (const one of report.running) {
      const row = own(one);
      if (!row) continue;
      row.leaseUntil = Date.now() + leaseSeconds * 1000;
      row.renewals++;
      if (one.progress !== undefined) row.progress.push(one.progress);
    }
    return rejected;
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url?.startsWith('/services/')) {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      registry.push({ method: request.method, url: request.url, body: Buffer.concat(chunks).toString() });
      return void response.writeHead(204).end();
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    sizes.push(bytes.length);
    const path = request.url === '/api/worker/claim' ? 'claim' : 'report';
    const send = (status: number, body: unknown): void => {
      if (response.destroyed) return;
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (options.token !== undefined && request.headers.authorization !== `Bearer ${options.token}`) {
      return send(401, { error: 'unauthorized', message: 'The token is not valid.' });
    }
    const index = faults.findIndex((fault) => fault.path === path);
    if (index !== -1) {
      const [{ status, message }] = faults.splice(index, 1);
      return status === 'drop' ? void request.socket.destroy() : send(status, { error: 'x', message: message ?? 'no' });
    }
    if (bytes.length > 1024 * 1024) return send(413, { error: 'payload_too_large', message: 'too large' });
    const json: unknown = JSON.parse(bytes.toString());
    if (path === 'report') {
      const report = reportBody.parse(json);
      const rejected = record(report);
      const tasks = hand(report.worker, report.max, report.tasks, report.queues);
      send(200, { lease_seconds: leaseSeconds, rejected, canceled: canceledOf(report.worker), tasks });
      return wake();
    }
    const claim = claimBody.parse(json);
    claims.push(claim);
    const deadline = Date.now() + claim.wait_seconds * 1000;
    for (;;) {
      if (response.destroyed || request.socket.destroyed) return;
      const tasks = hand(claim.worker, claim.max, claim.tasks, claim.queues);
      const stop = canceledOf(claim.worker);
      if (tasks.length > 0 || stop.length > 0 || Date.now() >= deadline) {
        return send(200, { lease_seconds: leaseSeconds, tasks, canceled: stop });
      }
      await new Promise<void>((resolve) => {
        waiting.add(resolve);
        setTimeout(resolve, Math.min(200, Math.max(0, deadline - Date.now())));
      });
    }
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.writeHead(400).end(JSON.stringify({ error: 'bad_request', message: String(error) }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A TCP server that listens has this kind of address.
  const { port } = server.address() as AddressInfo;
  const get = (id: string): Row => {
    const row = rows.get(id);
    if (!row) throw new Error(`no task ${id}`);
    return row;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    add,
    get,
    claims,
    reports,
    faults,
    sizes,
    registry,
    cancel(id: string): void {
      canceled.add(id);
      wake();
    },
    /** Gives the task to nobody, as after a lease that ran out: its worker has lost it. */
    takeAway(id: string): void {
      Object.assign(get(id), { worker: 'another' });
    },
    isOver: (id: string): boolean => ['completed', 'failed'].includes(get(id).status),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        wake();
      }),
  };
}
