import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Child, startChild } from '../../test/harness/child.ts';
import { type Service, startService } from '../../test/harness/service.ts';
import type { BenchCase, Figures, PreparedCase } from '../harness/case.ts';
import { type HttpLoad, loadGenerator, requestsPerSecond } from '../harness/http-load.ts';
import { processorSeconds } from '../harness/processor-time.ts';
import { dependencyVersion } from '../harness/versions.ts';

const bareFastify = fileURLToPath(new URL('bare-fastify.process.ts', import.meta.url));
const target = { ratioAtLeast: 0.6 };
const row = { better: 'higher', ours: 'faultline', peer: 'bare Fastify' } as const;

/** Authenticated reads on the embedded database, against a route that sends the same bytes and does nothing else. */
export const cases: BenchCase[] = [
  readCase('GET /v1/users/me', '/v1/users/me', async () => '/v1/users/me'),
  readCase('GET /v1/news/{id}', '/v1/news/:id', async (service) => `/v1/news/${await publishItem(service)}`),
];

function readCase(name: string, route: string, choosePath: (service: Service) => Promise<string>): BenchCase {
  return {
    name,
    rounds: 5,
    prepare: ({ isQuick }) => prepare(route, choosePath, isQuick ? 1 : 4),
    rows: [
      { ...row, title: name, figure: 'rate', unit: 'requests/s', target },
      // What a busy machine cannot disturb: the work per request, whoever else wants the processor.
      { ...row, title: `${name}, per processor`, figure: 'perCpu', unit: 'requests/cpu s', target: 'none' },
    ],
  };
}

async function prepare(
  route: string,
  choosePath: (service: Service) => Promise<string>,
  seconds: number,
): Promise<PreparedCase> {
  const directory = await mkdtemp(join(tmpdir(), 'faultline-bench-'));
  const service = await startService({ dataDir: join(directory, 'data') });
  const headers = { authorization: `Bearer ${service.adminToken}` };
  const path = await choosePath(service);
  const answer = await fetch(service.url + path, { headers });
  const body = await answer.text();
  const contentType = answer.headers.get('content-type') ?? '';
  const peer = await startChild({
    script: bareFastify,
    env: { BODY: body, CONTENT_TYPE: contentType, ROUTE: route },
    ready: /listening at (\S+)/,
  });
  const peerUrl = peer.ready[1] + path;
  await refuseDifference(peerUrl, headers, body, contentType);
  // Both compile their hot paths before anything counts: ours needs some 50,000 requests until its rate stands.
  for (const url of [service.url + path, peerUrl]) await requestsPerSecond({ url, headers, seconds: 5 });
  return {
    contenders: {
      faultline: () => measure(service, { url: service.url + path, headers, seconds }),
      'bare Fastify': () => measure(peer, { url: peerUrl, headers, seconds }),
    },
    versions: { database: service.database, fastify: dependencyVersion('fastify'), 'load generator': loadGenerator },
    close: () => closeAll(service, peer, directory),
  };
}

async function measure(server: Child, load: HttpLoad): Promise<Figures> {
  const before = processorSeconds(server.pid);
  const rate = await requestsPerSecond(load);
  const used = (processorSeconds(server.pid) ?? Number.NaN) - (before ?? Number.NaN);
  return { rate, perCpu: (rate * load.seconds) / used };
}

async function refuseDifference(
  url: string,
  headers: Record<string, string>,
  body: string,
  contentType: string,
): Promise<void> {
  const answer = await fetch(url, { headers });
  if ((await answer.text()) !== body || answer.headers.get('content-type') !== contentType) {
    throw new Error('The peer does not send the same bytes.');
  }
}

async function publishItem(service: Service): Promise<string> {
  const answer = await fetch(`${service.url}/v1/news`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'Maintenance on Sunday', message: 'The database moves; reads go on, writes wait.' }),
  });
  if (answer.status !== 201) throw new Error(`POST /v1/news answered ${answer.status}`);
  // our own interface
  return ((await answer.json()) as { id: string }).id;
}

async function closeAll(service: Service, peer: Child, directory: string): Promise<void> {
  await Promise.all([service.stop(), peer.stop()]);
  await rm(directory, { recursive: true, force: true });
}
