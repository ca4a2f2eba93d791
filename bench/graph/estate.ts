import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClientBase } from 'pg';
import { pino } from 'pino';
import { copyIn } from '../../src/db/copy-in.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open.ts';
import { nodeRows, relationshipRows } from '../../src/graph/model/copy-writer.ts';
import { type Service, startService } from '../../test/harness/service.ts';
import { nodePortions, relationshipPortions } from './graph-rows.ts';
import type { LayeredGraph } from './layered-graph.ts';
import { closePostgres, createDatabase, withClient } from './postgres.ts';
import { findRoot, mainGraph, type Root, type SizedGraph } from './sized-graph.ts';

/** One team's graph in a PostgreSQL database, for everything that only reads it. */
export type Estate = {
  databaseUrl: string;
  teamId: string;
  sized: SizedGraph;
  /** Roots with a large and a small impact. */
  large: Root;
  small: Root;
};

const teamId = '5f0c6e52-0d63-4a0e-9a53-0c7f0d5a7a11';
let estate: Promise<Estate> | undefined;

export const openEstate = (isQuick: boolean): Promise<Estate> => (estate ??= load(mainGraph(isQuick)));

export async function closeEstate(): Promise<void> {
  estate = undefined;
  await closePostgres();
}

/** The service on that database, with a data directory of its own. */
export async function startOnEstate(estate: Estate): Promise<{ service: Service; stop(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'faultline-bench-'));
  const service = await startService({ dataDir: directory, databaseUrl: estate.databaseUrl });
  return {
    service,
    async stop() {
      await service.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export async function createMigratedDatabase(): Promise<string> {
  const { url } = await createDatabase();
  const database = await openDatabase({ databaseUrl: url, dataDir: '', log: pino({ level: 'silent' }) });
  await migrate(database);
  await database.close();
  return url;
}

async function load(sized: SizedGraph): Promise<Estate> {
  const url = await createMigratedDatabase();
  await withClient(url, (client) => copyGraph(client, sized.graph));
  return {
    databaseUrl: url,
    teamId,
    sized,
    large: findRoot(sized, sized.base.nodeCount * 0.096),
    small: findRoot(sized, 1_000),
  };
}

/**
 * Straight into the tables, as if it had come over HTTP long ago. Indexes are made afterwards, which is faster and leaves them as dense as
 * after a reindex; one more is there for the recursive SQL alone, which looks for relationships by their target.
 */
async function copyGraph(client: ClientBase, graph: LayeredGraph): Promise<void> {
  await client.query(`set maintenance_work_mem = '512MB'`);
  await client.query('begin');
  await client.query(`insert into teams (id, name) values ($1, 'estate')`, [teamId]);
  await client.query(
    'insert into graphs (team_id, version, next_node_id, next_relationship_id) values ($1, 1, $2, $3)',
    [teamId, graph.nodeLabel.length, graph.source.length],
  );
  await client.query('alter table nodes drop constraint nodes_pkey, drop constraint nodes_team_id_label_name_key');
  await client.query(
    'alter table relationships drop constraint relationships_pkey, drop constraint relationships_team_id_source_id_target_id_key',
  );
  for (const rows of nodePortions(graph)) {
    const statement = 'copy nodes (team_id, id, label, name, active_from, active_to) from stdin (format binary)';
    await copyIn(client, statement, Buffer.from(nodeRows(teamId, rows)));
  }
  for (const rows of relationshipPortions(graph)) {
    const statement = 'copy relationships (team_id, id, source_id, target_id, facts) from stdin (format binary)';
    await copyIn(client, statement, Buffer.from(relationshipRows(teamId, rows)));
  }
  await client.query('alter table nodes add primary key (team_id, id), add unique (team_id, label, name)');
  await client.query(
    'alter table relationships add primary key (team_id, id), add unique (team_id, source_id, target_id)',
  );
  await client.query('create index relationships_by_target on relationships (team_id, target_id)');
  await client.query('commit');
  await client.query('vacuum analyze nodes, relationships');
  await client.query('checkpoint');
}
