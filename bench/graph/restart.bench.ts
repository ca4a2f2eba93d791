import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { snapshotPath } from '../../src/graph/model/snapshot.ts';
import { startService } from '../../test/harness/service.ts';
import type { BenchCase, Figures, PreparedCase } from '../harness/case.ts';
import { createAsker } from './asker.ts';
import { closeEstate, type Estate, openEstate } from './estate.ts';

const [snapshot, rows] = ['from the snapshot', 'from the rows'];

/** A real restart of the service, asked as soon as it listens. */
export const cases: BenchCase[] = [
  { name: 'restart to first answer', rounds: 3, prepare: async ({ isQuick }) => prepare(await openEstate(isQuick)) },
];

export const close = closeEstate;

async function prepare(estate: Estate): Promise<PreparedCase> {
  const directory = await mkdtemp(join(tmpdir(), 'faultline-bench-'));
  const withSnapshot = join(directory, 'with');
  const without = join(directory, 'without');
  // The first answer of all leaves a snapshot behind.
  await firstAnswer(estate, withSnapshot);
  return {
    contenders: {
      [snapshot]: () => firstAnswer(estate, withSnapshot),
      [rows]: async () => {
        await rm(without, { recursive: true, force: true });
        return firstAnswer(estate, without);
      },
    },
    rows: [
      {
        title: `restart to first answer, ${estate.sized.title}`,
        figure: 'ms',
        unit: 'ms',
        better: 'lower',
        ours: snapshot,
        peer: rows,
        target: { ratioAtLeast: 4 },
      },
    ],
    versions: {},
    close: () => rm(directory, { recursive: true, force: true }),
  };
}

/** From the moment that the service listens. It is stopped when its snapshot is there, which may be after the answer. */
async function firstAnswer({ databaseUrl, teamId, large }: Estate, dataDir: string): Promise<Figures> {
  const service = await startService({ dataDir, databaseUrl });
  const asker = createAsker(service);
  const startedAt = performance.now();
  const answer = await asker.ask(`/v1/teams/${teamId}/labels/${large.label}/nodes/${large.name}/impacted/count`);
  const ms = performance.now() - startedAt;
  if (answer !== JSON.stringify({ count: large.impacted })) throw new Error(`The service answered ${answer}.`);
  const file = snapshotPath(join(dataDir, 'graphs'), teamId);
  for (let tries = 0; !existsSync(file); tries++) {
    if (tries > 600) throw new Error('The service wrote no snapshot.');
    await sleep(100);
  }
  asker.close();
  await service.stop();
  return { ms };
}
