import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Child, startChild } from '../../test/harness/child.ts';
import { type Service, startService } from '../../test/harness/service.ts';
import type { BenchCase, BenchRow, Figures, PreparedCase } from '../harness/case.ts';
import { probe } from '../http/probe.ts';
import { NOW } from './layered-graph.ts';
import { writeMessages } from './message-file.ts';
import { closePostgres, createDatabase } from './postgres.ts';
import { findRoot, mainGraph, type SizedGraph } from './sized-graph.ts';
import { createTeam } from './team.ts';

const script = fileURLToPath(new URL('load.process.ts', import.meta.url));
const row = { better: 'lower', ours: 'faultline', target: 'none' } as const;

/** Is the event loop free while a large graph is being loaded and asked about? The load runs on from round to round. */
export const cases: BenchCase[] = (['PostgreSQL', 'embedded'] as const).map((shape) => ({
  name: `ping while loading and asking, ${shape}`,
  rounds: 3,
  prepare: ({ isQuick }) => prepare(shape, mainGraph(isQuick), isQuick ? 3 : 20),
}));

export const close = closePostgres;

async function prepare(shape: 'PostgreSQL' | 'embedded', sized: SizedGraph, seconds: number): Promise<PreparedCase> {
  const directory = await mkdtemp(join(tmpdir(), 'faultline-bench-'));
  const messages = join(directory, 'messages.ndjson');
  await writeMessages(messages, sized.graph);
  const database = shape === 'PostgreSQL' ? await createDatabase() : undefined;
  const service = await startService({ dataDir: join(directory, 'data'), databaseUrl: database?.url });
  const load = await startLoad(service, sized, messages);
  const rows: BenchRow[] = [
    { ...row, title: `ping p50, ${sized.title} loaded and asked, ${shape}`, figure: 'p50', unit: 'ms' },
    {
      ...row,
      title: `ping p99, ${sized.title} loaded and asked, ${shape}`,
      figure: 'p99',
      unit: 'ms',
      target: { below: 25 },
    },
    { ...row, title: `loop waits for a processor, ${shape}`, figure: 'waited', unit: 'ms/s' },
    { ...row, title: `load: messages, ${shape}`, figure: 'messages', unit: 'a second', better: 'higher' },
    { ...row, title: `load: questions, ${shape}`, figure: 'questions', unit: 'a second', better: 'higher' },
  ];
  return {
    contenders: { faultline: async () => ({ ...(await probe(service, seconds)), ...weightOf(load) }) },
    rows,
    versions: { [`database, ${shape}`]: service.database },
    async close() {
      await load.stop();
      await service.stop();
      await database?.drop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function startLoad(service: Service, sized: SizedGraph, messages: string): Promise<Child> {
  const questions = [findRoot(sized, sized.base.nodeCount * 0.096), findRoot(sized, 1_000)].flatMap(
    ({ label, name }) => {
      const node = `/labels/${label}/nodes/${name}`;
      return [`${node}/impacted/count`, `${node}/impacted?limit=25&ts=${NOW}`];
    },
  );
  return createTeam(service, 'loaded').then((teamId) =>
    startChild({
      script,
      env: {
        URL: service.url,
        TOKEN: service.adminToken,
        TEAM: teamId,
        FILE: messages,
        LINES: String(sized.graph.source.length),
        QUESTIONS: JSON.stringify(questions),
      },
      ready: /loading/,
    }),
  );
}

/** Messages and answers a second since it began. */
function weightOf(load: Child): Figures {
  const told = [...load.output().matchAll(/a second: (\{.*\})/g)].at(-1)?.[1];
  if (told === undefined || load.process.exitCode !== null) throw new Error(`The load failed:\n${load.output()}`);
  return JSON.parse(told) as Figures; // what the script prints
}
