import { closePostgres } from '../graph/postgres.ts';
import type { BenchCase, BenchRow, Figures, PreparedCase } from '../harness/case.ts';
import { startBullmq } from './bullmq.ts';
import { findCelery, startCelery } from './celery.ts';
import { startDbos } from './dbos.ts';
import { startFaultline } from './faultline.ts';
import { startPgBoss } from './pg-boss.ts';
import { redisVersion } from './redis.ts';
import { fanWidth } from './shapes.ts';
import type { System } from './system.ts';

const ours = 'faultline, PostgreSQL';
const embedded = 'faultline, embedded';
const bullmq = 'BullMQ, AOF everysec';
const durable = 'BullMQ, AOF always';

/** `dags`: how many a contender is given at once, so that each works for some seconds. */
type Contender = { name: string; dags: number; start(): Promise<System>; missing?: string | undefined };

/** The same graphs with stored results, started by 50 clients in a process of their own. */
export const cases: BenchCase[] = [
  { name: 'one worker', rounds: 3, prepare: ({ isQuick }) => prepare(listContenders(), isQuick, rowsOfOneWorker) },
  { name: 'three workers', rounds: 3, prepare: ({ isQuick }) => prepare(listTeams(), isQuick, rowsOfThreeWorkers) },
];

export const close = closePostgres;

// Every process that is started listens for the end of this one, and a dozen are nothing to warn about here.
process.setMaxListeners(100);

function listContenders(): Contender[] {
  const noRedis = redisVersion() === undefined ? 'redis-server is not installed' : undefined;
  const python = findCelery();
  const contenders: Contender[] = [
    { name: ours, dags: 4000, start: () => startFaultline({ shape: 'PostgreSQL', workers: 1 }) },
    { name: embedded, dags: 2000, start: () => startFaultline({ shape: 'embedded', workers: 1 }) },
    { name: bullmq, dags: 4000, start: () => startBullmq({ fsync: 'everysec', workers: 1 }), missing: noRedis },
    { name: durable, dags: 2000, start: () => startBullmq({ fsync: 'always', workers: 1 }), missing: noRedis },
    { name: 'pg-boss', dags: 1500, start: startPgBoss },
    { name: 'DBOS', dags: 400, start: startDbos },
  ];
  const celery = { name: 'Celery', dags: 300 };
  if (python && !noRedis) contenders.push({ ...celery, start: () => startCelery(python) });
  else contenders.push({ ...celery, start: missing, missing: noRedis ?? 'python3-celery is not installed' });
  return contenders;
}

function listTeams(): Contender[] {
  const noRedis = redisVersion() === undefined ? 'redis-server is not installed' : undefined;
  return [
    { name: ours, dags: 4000, start: () => startFaultline({ shape: 'PostgreSQL', workers: 3 }) },
    { name: bullmq, dags: 4000, start: () => startBullmq({ fsync: 'everysec', workers: 3 }), missing: noRedis },
  ];
}

async function prepare(
  contenders: Contender[],
  isQuick: boolean,
  rowsFor: (peers: string[]) => BenchRow[],
): Promise<PreparedCase> {
  const systems: System[] = [];
  const versions: Record<string, string> = {};
  const measures: Record<string, () => Promise<Figures>> = {};
  const stop = async (): Promise<void> => {
    for (const system of systems) await system.stop();
  };
  try {
    for (const { name, dags, start, missing: reason } of contenders) {
      if (reason !== undefined) {
        versions[name] = `not measured: ${reason}`;
        process.stderr.write(`${name} is not measured: ${reason}.\n`);
        continue;
      }
      const system = await start();
      systems.push(system);
      versions[name] = system.version;
      const size = isQuick ? dags / 10 : dags;
      // Code is compiled, connections are open, plans are cached before anything counts.
      await system.run({ kind: 'throughput', dags: Math.ceil(size / (isQuick ? 5 : 2)), starters: 50 });
      measures[name] = () => measure(system, size, isQuick);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  const measured = new Set(Object.keys(measures));
  const rows = rowsFor([...measured]).filter(({ peer }) => peer === undefined || measured.has(peer));
  return { contenders: measures, rows, versions, close: stop };
}

async function measure(system: System, dags: number, isQuick: boolean): Promise<Figures> {
  const throughput = await system.run({ kind: 'throughput', dags, starters: 50 });
  const few = isQuick ? 10 : 1;
  // What a burst left behind is no part of an idle system: a few workflows go first.
  await system.run({ kind: 'latency', shape: 'dag', repeats: 10 / few });
  const dag = await system.run({ kind: 'latency', shape: 'dag', repeats: 100 / few });
  const chain = await system.run({ kind: 'latency', shape: 'chain', repeats: 20 / few });
  const fan = await system.run({ kind: 'latency', shape: 'fan', repeats: isQuick ? 1 : 3 });
  return { ...throughput, ...dag, chain: chain['chain'], fan: fan['fan'] };
}

type RowKind = Pick<BenchRow, 'figure' | 'unit' | 'better'> & { title: string };

const kinds: RowKind[] = [
  { title: 'dags, 50 clients', figure: 'dags', unit: 'dags/s', better: 'higher' },
  { title: 'one dag, idle, p50', figure: 'dag', unit: 'ms', better: 'lower' },
  { title: 'start until accepted, p50', figure: 'accepted', unit: 'ms', better: 'lower' },
  { title: 'start until the first task runs, p50', figure: 'running', unit: 'ms', better: 'lower' },
  { title: '40-task chain, p50', figure: 'chain', unit: 'ms', better: 'lower' },
  { title: `${fanWidth.toLocaleString('en-US')}-way fan-out, p50`, figure: 'fan', unit: 'ms', better: 'lower' },
];

function rowsOfOneWorker(measured: string[]): BenchRow[] {
  const peers = measured.filter((name) => name !== ours && name !== embedded);
  return kinds.flatMap((kind) => [
    ...peers.map((peer): BenchRow => ({ ...kind, ours, peer, target: targetOf(kind.figure, peer) })),
    { ...kind, title: `${kind.title}, embedded`, ours: embedded, peer: bullmq, target: embeddedTargetOf(kind.figure) },
  ]);
}

const rowsOfThreeWorkers = (): BenchRow[] =>
  kinds.map((kind) => ({ ...kind, title: `${kind.title}, 3 workers`, ours, peer: bullmq, target: 'none' }));

function targetOf(figure: string, peer: string): BenchRow['target'] {
  if (peer !== bullmq) return 'none';
  if (figure === 'dags') return { ratioAtLeast: 2 };
  return figure === 'dag' ? { ratioAtLeast: 0.5 } : 'none';
}

const embeddedTargetOf = (figure: string): BenchRow['target'] => (figure === 'dags' ? { ratioAtLeast: 1 } : 'none');

const missing = (): Promise<never> => Promise.reject(new Error('It is not installed.'));
