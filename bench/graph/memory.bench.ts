import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { baseBytes } from '../../src/graph/model/base.ts';
import { startService } from '../../test/harness/service.ts';
import type { BenchCase, Figures, PreparedCase } from '../harness/case.ts';
import { createAsker } from './asker.ts';
import { closeEstate, type Estate, openEstate } from './estate.ts';
import { NOW } from './layered-graph.ts';
import { createTeam } from './team.ts';

const settleMs = 3_000;
const [rows, snapshot] = ['from the rows', 'from the snapshot'];

/**
 * What the service's whole process grows by when a team comes into memory from its rows and is asked by many at once, so that every thread has
 * its working memory: model, names, threads, and whatever the loading left in heaps.
 */
export const cases: BenchCase[] = [
  { name: 'memory of a team', rounds: 3, prepare: async ({ isQuick }) => prepare(await openEstate(isQuick)) },
];

export const close = closeEstate;

async function prepare(estate: Estate): Promise<PreparedCase> {
  const { base, title } = estate.sized;
  const allowed = (400 * base.nodeCount + 40 * base.relationshipCount) / 1e6;
  const directory = await mkdtemp(join(tmpdir(), 'faultline-bench-'));
  const common = { unit: 'MB', better: 'lower', ours: rows } as const;
  return {
    contenders: {
      [rows]: async () => {
        await rm(directory, { recursive: true, force: true });
        return measure(estate, directory);
      },
      // What the one before left behind.
      [snapshot]: () => measure(estate, directory),
    },
    rows: [
      {
        ...common,
        title: `memory of a team, ${title}: growth of the process`,
        figure: 'grown',
        target: { below: allowed },
      },
      {
        ...common,
        title: `memory of a team, ${title}: growth, loaded from a snapshot`,
        figure: 'grown',
        ours: snapshot,
        target: 'none',
      },
      { ...common, title: `memory of a team, ${title}: most while loading`, figure: 'peak', target: 'none' },
      { ...common, title: `memory of a team, ${title}: the model's arrays`, figure: 'arrays', target: 'none' },
    ],
    versions: {},
    close: () => rm(directory, { recursive: true, force: true }),
  };
}

async function measure(estate: Estate, dataDir: string): Promise<Figures> {
  const service = await startService({ dataDir, databaseUrl: estate.databaseUrl });
  const { teamId, large, sized } = estate;
  const askers = Array.from({ length: 8 }, () => createAsker(service));
  const node = `/v1/teams/${teamId}/labels/${large.label}/nodes/${large.name}`;
  // The code that loads and answers is in memory before the team is.
  const tiny = await createTeam(service, `tiny ${randomUUID()}`);
  await Promise.all(askers.map(({ ask }) => ask(`/v1/teams/${tiny}/labels`)));
  await sleep(settleMs);
  const before = memoryOf(service.pid).resident;
  for (let round = 0; round < 5; round++) {
    await Promise.all(askers.map(({ ask }) => ask(`${node}/impacted?limit=25&ts=${NOW}`)));
  }
  await sleep(settleMs);
  const { resident, peak } = memoryOf(service.pid);
  for (const asker of askers) asker.close();
  await service.stop();
  return { grown: resident - before, peak: peak - before, arrays: baseBytes(sized.base) / 1e6 };
}

/** Megabytes, as the kernel counts them. */
function memoryOf(pid: number): { resident: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const read = (field: string) => (Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024) / 1e6;
  return { resident: read('VmRSS'), peak: read('VmHWM') };
}
