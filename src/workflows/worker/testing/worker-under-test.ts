import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished, vi } from 'vitest';
import { type RunningWorker, runWorker, type WorkerOptions } from '../run-worker.ts';
import { startProtocolServer } from './protocol-server.ts';

export type TestServer = Awaited<ReturnType<typeof startProtocolServer>>;

export async function makeHome(files: Record<string, string>): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'faultline-home-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  await writeFiles(home, files);
  return home;
}

export async function writeFiles(home: string, files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(home, name)), { recursive: true });
    await writeFile(join(home, name), text);
  }
}

/** A server, a home with these files, and a worker between them. */
export async function startWorker(
  files: Record<string, string>,
  options: Partial<WorkerOptions> & { leaseSeconds?: number } = {},
): Promise<{ server: TestServer; worker: RunningWorker; home: string; warnings: string[] }> {
  const server = await startProtocolServer({ leaseSeconds: options.leaseSeconds });
  onTestFinished(() => server.close());
  const home = await makeHome(files);
  const warnings: string[] = [];
  const note = (fields: object, message: string): void => void warnings.push(`${message} ${JSON.stringify(fields)}`);
  const log = { debug: () => undefined, info: () => undefined, warn: note, error: note };
  const worker = runWorker({
    url: server.url,
    token: 'secret',
    home,
    name: 'tester:1',
    concurrency: 10,
    allowShell: false,
    outboundAllow: ['127.0.0.0/8'],
    graceSeconds: 1,
    abandonSeconds: 0.3,
    refreshSeconds: 0.2,
    log,
    ...options,
  });
  onTestFinished(() => worker.stop());
  return { server, worker, home, warnings };
}

/** Until the tasks have a result or an error. */
export async function finished(server: TestServer, ...ids: string[]): Promise<Array<ReturnType<TestServer['get']>>> {
  await until(() => ids.every((id) => server.isOver(id)));
  return ids.map((id) => server.get(id));
}

export const until = (isTrue: () => boolean): Promise<unknown> =>
  vi.waitUntil(isTrue, { timeout: 25_000, interval: 20 });

export const pause = (ms: number): Promise<unknown> => sleep(ms);
