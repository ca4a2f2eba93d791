import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Service, startService } from '../../test/harness/service.ts';
import type { BenchCase, BenchRow, Figures, PreparedCase } from '../harness/case.ts';
import { writeCopyFiles } from './copy-files.ts';
import { generateLayeredGraph } from './layered-graph.ts';
import { writeMessages } from './message-file.ts';
import { checkpoint, closePostgres, createDatabase } from './postgres.ts';
import { createTeam } from './team.ts';

const run = promisify(execFile);
const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const row = { unit: 'relationships/s', better: 'higher', ours: 'faultline' } as const;

type Shape = 'PostgreSQL' | 'embedded';
/** Both sides begin with an empty database, and warm up on a tenth that belongs to another team. */
type Inputs = { count: number; warmUp: string; messages: string; warmUpRows: string; rows: string };

/** New relationships over HTTP, against a raw COPY of the same rows into the same tables with the same indexes. */
export const cases: BenchCase[] = (['PostgreSQL', 'embedded'] as const).map((shape) => ({
  name: `ingest, ${shape}`,
  rounds: 3,
  prepare: ({ isQuick }) => prepare(shape, isQuick ? 50_000 : 500_000),
}));

export const close = closePostgres;

async function prepare(shape: Shape, count: number): Promise<PreparedCase> {
  const directory = await mkdtemp(join(tmpdir(), 'faultline-bench-'));
  const inputs = await writeInputs(directory, count);
  const what = `${count.toLocaleString('en-US')} relationships, ${shape}`;
  const rows: BenchRow[] = [
    { ...row, title: `ingest of ${what}`, figure: 'rate', peer: 'raw COPY', target: { ratioAtLeast: 0.8 } },
    { ...row, title: `the same again, ${what}`, figure: 'replay', target: 'none' },
  ];
  return {
    contenders: {
      faultline: () => withFreshDatabase(shape, directory, (place) => measureIngest(place, inputs)),
      'raw COPY': () => withFreshDatabase(shape, directory, (place) => measureCopy(place, inputs)),
    },
    rows,
    versions: {},
    close: () => rm(directory, { recursive: true, force: true }),
  };
}

async function writeInputs(directory: string, count: number): Promise<Inputs> {
  const graph = generateLayeredGraph(count / 5, count);
  const place = (name: string) => join(directory, name);
  const inputs = {
    count,
    warmUp: place('warm-up.ndjson'),
    messages: place('all.ndjson'),
    warmUpRows: place('warm-up-rows'),
    rows: place('rows'),
  };
  await writeMessages(inputs.warmUp, graph, count / 10);
  await writeMessages(inputs.messages, graph);
  await writeCopyFiles(inputs.warmUpRows, graph, '00000000-0000-4000-8000-000000000001', count / 10);
  await writeCopyFiles(inputs.rows, graph, '00000000-0000-4000-8000-000000000002');
  return inputs;
}

type Place = { databaseUrl: string; dataDir: string };

async function withFreshDatabase(
  shape: Shape,
  directory: string,
  measure: (place: Place) => Promise<Figures>,
): Promise<Figures> {
  const dataDir = await mkdtemp(join(directory, 'data-'));
  const database = shape === 'PostgreSQL' ? await createDatabase() : undefined;
  try {
    return await measure({ databaseUrl: database?.url ?? '', dataDir });
  } finally {
    await database?.drop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function measureIngest(place: Place, { count, warmUp, messages }: Inputs): Promise<Figures> {
  const service = await startService(place);
  try {
    await send(service, await createTeam(service, 'warm-up'), warmUp);
    if (place.databaseUrl !== '') await checkpoint(place.databaseUrl);
    const teamId = await createTeam(service, 'measured');
    const first = await send(service, teamId, messages);
    const replay = await send(service, teamId, messages);
    if (first.accepted !== count || first.unchanged !== 0 || replay.unchanged !== count) {
      throw new Error('The service did not take all messages, or took them twice.');
    }
    return { rate: count / first.seconds, replay: count / replay.seconds };
  } finally {
    await service.stop();
  }
}

async function send(service: Service, teamId: string, file: string) {
  const env = { URL: `${service.url}/v1/teams/${teamId}/graph`, TOKEN: service.adminToken, FILE: file };
  const { stdout } = await run(process.execPath, [script('send-messages.process.ts')], {
    env: { ...process.env, ...env },
  });
  // what the script prints, around what our own interface answers
  const { seconds, answer } = JSON.parse(stdout) as {
    seconds: number;
    answer: { accepted: number; unchanged: number };
  };
  return { seconds, ...answer };
}

async function measureCopy({ databaseUrl, dataDir }: Place, { count, warmUpRows, rows }: Inputs): Promise<Figures> {
  const env = { DATABASE_URL: databaseUrl, DATA_DIR: dataDir, WARM_UP: warmUpRows, ROWS: rows };
  const { stdout } = await run(process.execPath, [script('raw-copy.process.ts')], { env: { ...process.env, ...env } });
  const { seconds } = JSON.parse(stdout) as { seconds: number }; // what the script prints
  return { rate: count / seconds };
}
