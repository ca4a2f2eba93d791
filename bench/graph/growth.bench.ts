import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createScratchPool, runQuery } from '../../src/graph/model/query.ts';
import { snapshotPath, writeSnapshot } from '../../src/graph/model/snapshot.ts';
import { startService } from '../../test/harness/service.ts';
import type { BenchCase, BenchRow, PreparedCase } from '../harness/case.ts';
import { type Asker, createAsker, p50Of } from './asker.ts';
import { bestCpuMs, drain } from './cpu-time.ts';
import { createMigratedDatabase } from './estate.ts';
import { NOW } from './layered-graph.ts';
import { closePostgres, withClient } from './postgres.ts';
import { findRoots, forgetGraph, type Root, type SizedGraph, sizedGraph } from './sized-graph.ts';

const impactedLabel = 'Website';
const asksInARound = 500;

/**
 * The same answer from ever larger graphs: as users get it, over HTTP with PostgreSQL behind the service, and as bare work of a thread
 * (walks, order and bytes), which grows more: the processor reaches a small graph in its caches and a large one only in memory.
 * 10M/50M with `--large`.
 */
export const cases: BenchCase[] = [
  {
    name: 'the same answer from larger graphs',
    rounds: 5,
    prepare: async ({ isQuick, isLarge }) =>
      isQuick
        ? prepare([20_000, 100_000], 200)
        : prepare([100_000, 1_000_000, ...(isLarge ? [10_000_000] : [])], 1_000),
  },
];

export const close = closePostgres;

async function prepare(sizes: number[], impacted: number): Promise<PreparedCase> {
  const graphs = sizes.map(sizedGraph);
  const [smallest, ...larger] = graphs;
  const { asker, teamIds, database, stop } = await serve(graphs);
  const contenders: PreparedCase['contenders'] = {};
  for (const [at, sized] of graphs.entries()) {
    // Many roots in turn: one alone would have its part of a graph of any size in the processor's cache.
    const roots = findRoots(sized, impacted, 50);
    const askOver = httpPages(asker, teamIds[at], roots);
    const askBare = barePages(sized, roots);
    await p50Of(asksInARound, askOver);
    contenders[sized.title] = async () => ({
      http: await p50Of(asksInARound, askOver),
      bare: bestCpuMs(askBare) / roots.length,
    });
  }
  const page = `page of 25 out of ${impacted.toLocaleString('en-US')} impacted`;
  return {
    contenders,
    rows: larger.flatMap((sized): BenchRow[] => {
      const row = { better: 'lower', ours: sized.title, peer: smallest.title } as const;
      return [
        {
          ...row,
          title: `${page}, ${sized.title}, over HTTP, p50`,
          figure: 'http',
          unit: 'ms',
          target: { ratioAtLeast: 0.5 },
        },
        { ...row, title: `${page}, ${sized.title}, without HTTP`, figure: 'bare', unit: 'cpu ms', target: 'none' },
      ];
    }),
    versions: { database },
    async close() {
      await stop();
      forgetGraph(10_000_000);
    },
  };
}

/** A service with a team for each graph, which it finds as after a restart: in its snapshots. */
async function serve(graphs: SizedGraph[]) {
  const databaseUrl = await createMigratedDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'faultline-bench-'));
  const teamIds: string[] = [];
  await withClient(databaseUrl, async (client) => {
    for (const { title, base } of graphs) {
      const { rows } = await client.query<{ team_id: string; epoch: string }>(
        `with team as (insert into teams (id, name) values (gen_random_uuid(), $1) returning id)
         insert into graphs (team_id, version, next_node_id, next_relationship_id) select id, $2, $3, $4 from team returning team_id, epoch`,
        [title, base.version, base.nextNodeId, base.nextRelationshipId],
      );
      const [{ team_id: teamId, epoch }] = rows;
      writeSnapshot(snapshotPath(join(dataDir, 'graphs'), teamId), `${teamId} ${epoch}`, base);
      teamIds.push(teamId);
    }
  });
  const service = await startService({ dataDir, databaseUrl });
  const asker = createAsker(service);
  return {
    asker,
    teamIds,
    database: service.database,
    async stop() {
      asker.close();
      await service.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** The service remembers answers; every question is about another moment, so that it is a new one. */
function httpPages(asker: Asker, teamId: string, roots: Root[]): () => Promise<string> {
  let asked = 0;
  return () => {
    const { label, name } = roots[asked % roots.length];
    const query = `impactedLabel=${impactedLabel}&limit=25&ts=${NOW - asked++}`;
    return asker.ask(`/v1/teams/${teamId}/labels/${label}/nodes/${name}/impacted?${query}`);
  };
}

function barePages({ base }: SizedGraph, roots: Root[]): () => void {
  const graph = { base, overlay: undefined };
  const pool = createScratchPool();
  return () => {
    for (const { label, name } of roots) {
      const question = { kind: 'impacted', label, name, impactedLabel, skip: 0, limit: 25, ts: NOW } as const;
      drain(runQuery(graph, pool, question));
    }
  };
}
