import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { startChild } from '../../test/harness/child.ts';
import { findPostgresBinaries, startPostgres } from '../../test/harness/postgres.ts';
import { startService } from '../../test/harness/service.ts';
import type { BenchCase, BenchOptions, Figures, PreparedCase } from '../harness/case.ts';
import { treeSeconds } from './tree-time.ts';

const bareFastify = fileURLToPath(new URL('bare-beats.process.ts', import.meta.url));
const beating = fileURLToPath(new URL('beating.process.ts', import.meta.url));
const services = 5000;
const everyMs = 30_000;
const row = { better: 'lower', ours: 'faultline' } as const;

/**
 * What it costs that thousands say "alive": processor time of the service and of PostgreSQL together, beyond what both use when idle. On a busy
 * machine every request costs more; what a server that does nothing needs for the same requests tells how much of it is that.
 */
export const cases: BenchCase[] = [
  {
    name: '5,000 services beat every 30 s',
    rounds: 2,
    prepare,
    rows: [
      {
        ...row,
        title: 'heartbeats, beyond idle',
        figure: 'extra',
        unit: '% of a core',
        target: { below: 5 },
        peer: 'bare Fastify',
      },
      { ...row, title: 'heartbeats, service alone', figure: 'service', unit: '% of a core', target: 'none' },
      { ...row, title: 'heartbeats, PostgreSQL alone', figure: 'postgres', unit: '% of a core', target: 'none' },
      { ...row, title: 'idle, both', figure: 'idle', unit: '% of a core', target: 'none' },
      { ...row, title: 'slowest answer to a beat', figure: 'slowestMs', unit: 'ms', target: 'none' },
    ],
  },
];

async function prepare({ isQuick }: BenchOptions): Promise<PreparedCase> {
  const seconds = isQuick ? 5 : 20;
  const binaries = await findPostgresBinaries();
  if (binaries === undefined) throw new Error('This case needs PostgreSQL (initdb and postgres) on this machine.');
  const postgres = await startPostgres(binaries, { isDurable: true });
  const directory = await mkdtemp(join(tmpdir(), 'faultline-bench-'));
  const service = await startService({
    dataDir: join(directory, 'data'),
    databaseUrl: postgres.url,
    env: { FAULTLINE_ROLE: 'api', FAULTLINE_HOME: join(directory, 'home') },
  });
  const postmaster = await postmasterOf(postgres.url);
  // The sweep is on after a minute; it belongs to what is measured.
  await sleep(isQuick ? 1000 : 65_000);

  /** Percent of a core over so many seconds, for each of these trees of processes. */
  async function watch(...pids: number[]): Promise<number[]> {
    const before = pids.map(treeSeconds);
    const startedAt = performance.now();
    await sleep(seconds * 1000);
    const passed = (performance.now() - startedAt) / 1000;
    return pids.map((pid, index) => (100 * (treeSeconds(pid) - before[index])) / passed);
  }

  async function watchBeats(url: string, ...pids: number[]): Promise<{ percents: number[]; slowestMs: number }> {
    const child = await startChild({
      script: beating,
      env: { URL: url, TOKEN: service.adminToken, SERVICES: String(services), EVERY_MS: String(everyMs) },
      ready: /beating/,
    });
    await sleep(isQuick ? 1000 : 5000);
    const percents = await watch(...pids);
    const said = [...child.output().matchAll(/so far: (\{.*\})/g)].at(-1)?.[1];
    await child.stop();
    if (said === undefined) throw new Error('The services did not beat.');
    const { beats, slowestMs } = JSON.parse(said) as { beats: number; slowestMs: number }; // written by beating.process.ts
    const expected = (seconds * 1000 * services) / everyMs;
    if (beats < 0.9 * expected) throw new Error(`Only ${beats} beats, and ${expected} were to come.`);
    return { percents, slowestMs };
  }

  async function measure(): Promise<Figures> {
    const [idleService, idlePostgres] = await watch(service.pid, postmaster);
    const { percents, slowestMs } = await watchBeats(service.url, service.pid, postmaster);
    const idle = idleService + idlePostgres;
    return { extra: percents[0] + percents[1] - idle, service: percents[0], postgres: percents[1], idle, slowestMs };
  }

  async function measurePeer(): Promise<Figures> {
    const peer = await startChild({ script: bareFastify, ready: /listening at (\S+)/ });
    const { percents } = await watchBeats(peer.ready[1], peer.pid);
    await peer.stop();
    return { extra: percents[0] };
  }

  return {
    contenders: { faultline: measure, 'bare Fastify': measurePeer },
    versions: { database: service.database },
    async close() {
      await service.stop();
      await postgres.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** The first line of its lock file is its process id. */
async function postmasterOf(url: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ data_directory: string }>('show data_directory');
  await client.end();
  return Number((await readFile(join(rows[0].data_directory, 'postmaster.pid'), 'utf8')).split('\n')[0]);
}
