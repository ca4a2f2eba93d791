import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startChild } from '../../test/harness/child.ts';
import { type Service, startService } from '../../test/harness/service.ts';
import type { BenchCase, BenchRow, Figures, PreparedCase } from '../harness/case.ts';
import { probe } from './probe.ts';

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const [writers, bulk, idle] = ['50 writers over HTTP', 'bulk inserts', 'idle'];

/** Is the event loop free while the embedded database works as hard as it can? The peer is the same service at rest. */
export const cases: BenchCase[] = [
  {
    name: 'GET /api/ping under write load',
    rounds: 5,
    prepare: ({ isQuick }) => prepare(isQuick ? 2 : 5),
    rows: [...latencyRows(writers), ...latencyRows(bulk), ...loadRows()],
  },
];

function latencyRows(load: string): BenchRow[] {
  const common = { unit: 'ms', better: 'lower', ours: load, peer: idle } as const;
  return [
    { ...common, title: `ping p50, ${load}`, figure: 'p50', target: 'none' },
    { ...common, title: `ping p99, ${load}`, figure: 'p99', target: { below: 20 } },
    // How much of the delay is the machine's: the event loop was free to go on, but no processor was.
    { ...common, title: `loop waits for a processor, ${load}`, figure: 'waited', unit: 'ms/s', target: 'none' },
  ];
}

/** How heavy the load was: writes and rows that the database took while it was asked. */
function loadRows(): BenchRow[] {
  const common = { figure: 'load', better: 'higher', target: 'none' } as const;
  return [
    { ...common, title: `load: ${writers}`, unit: 'writes/s', ours: writers },
    { ...common, title: `load: ${bulk}`, unit: 'rows/s', ours: bulk },
  ];
}

async function prepare(seconds: number): Promise<PreparedCase> {
  const directory = await mkdtemp(join(tmpdir(), 'faultline-bench-'));
  const service = await startService({ dataDir: join(directory, 'data'), script: here('bulk-service.process.ts') });
  return {
    contenders: {
      [writers]: () => probeUnderWriters(service, seconds),
      [bulk]: () => probeUnderBulk(service, seconds),
      [idle]: () => probe(service, seconds),
    },
    versions: { database: service.database },
    async close() {
      await service.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function probeUnderWriters(service: Service, seconds: number): Promise<Figures> {
  const load = await startChild({
    script: here('writers.process.ts'),
    env: { URL: service.url, TOKEN: service.adminToken, WRITERS: '50' },
    ready: /writing/,
  });
  const figures = await probe(service, seconds);
  await load.stop();
  const perSecond = /written \{"perSecond":([\d.]+)\}/.exec(load.output())?.[1];
  if (perSecond === undefined) throw new Error(`The writers failed:\n${load.output()}`);
  return { ...figures, load: Number(perSecond) };
}

async function probeUnderBulk(service: Service, seconds: number): Promise<Figures> {
  service.process.send('start');
  const figures = await probe(service, seconds);
  const told = once(service.process, 'message');
  service.process.send('stop');
  const [{ rowsPerSecond }] = (await told) as [{ rowsPerSecond: number }]; // the only message it sends
  return { ...figures, load: rowsPerSecond };
}
