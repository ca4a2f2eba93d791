import { buffer } from 'node:stream/consumers';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { auditStatement } from '../db/audit.ts';
import { copyIn } from '../db/copy-in.ts';
import { isForeignKeyViolation } from '../db/errors.ts';
import type { Database } from '../db/open.ts';
import type { Actor } from '../identity/access.ts';
import type { Prepared } from './model/prepared.ts';

/** The durable state of one team's graph, as far as it is a number. */
export type GraphState = { epoch: string; version: number; nextNodeId: number; nextRelationshipId: number };
export type GraphChange = { version: number; payload: Uint8Array };
export type WriteOutcome = 'written' | 'behind' | 'no team';
export type RowSource = { state: GraphState; nodes: AsyncIterable<Uint8Array>; relationships: AsyncIterable<Uint8Array> };

export type GraphStore = ReturnType<typeof createGraphStore>;

/** Followers further behind than this load anew instead of reading every change. */
const keptChanges = 256;
/** Rows a COPY: the embedded database keeps a statement's whole answer in memory. */
const rowsPerPortion = 100_000;
export const graphChannel = 'graph_changes';

export function createGraphStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /** Undefined where nothing was ever written. */
    async findState(teamId: string): Promise<GraphState | undefined> {
      return findState(pool, teamId);
    },

    /** The newest versions of several teams at once; a team without a graph is not in the answer. */
    async listVersions(teamIds: string[]): Promise<Map<string, number>> {
      const text = 'select team_id, version from graphs where team_id = any($1)';
      const { rows } = await pool.query<{ team_id: string; version: string }>({ name: 'graph_versions', text, values: [teamIds] });
      return new Map(rows.map((row) => [row.team_id, Number(row.version)]));
    },

    async listChanges(teamId: string, after: number, upTo: number): Promise<GraphChange[]> {
      const text = 'select version, payload from graph_changes where team_id = $1 and version > $2 and version <= $3 order by version';
      const { rows } = await pool.query<{ version: string; payload: Buffer }>({ name: 'graph_changes', text, values: [teamId, after, upTo] });
      return rows.map((row) => ({ version: Number(row.version), payload: row.payload }));
    },

    /** All rows of a graph from one moment in time, as binary COPY streams, each portion one whole stream. */
    async read(teamId: string, take: (source: RowSource) => Promise<void>): Promise<void> {
      const client = await pool.connect();
      let isClean = false;
      try {
        await client.query('begin isolation level repeatable read, read only');
        const state = (await findState(client, teamId)) ?? { epoch: '', version: 0, nextNodeId: 0, nextRelationshipId: 0 };
        await take({
          state,
          nodes: portions(client, teamId, 'nodes', 'id, label, name, active_from, active_to', state.nextNodeId),
          relationships: portions(client, teamId, 'relationships', 'id, source_id, target_id, facts', state.nextRelationshipId),
        });
        await client.query('commit');
        isClean = true;
      } finally {
        client.release(!isClean);
      }
    },

    /** One batch: rows, version, change log and audit entry together, or nothing of it. */
    async write(teamId: string, prepared: Prepared, actor: Actor, action: string): Promise<WriteOutcome> {
      const client = await pool.connect();
      let isClean = true;
      try {
        await client.query('begin');
        const outcome = await writeBatch(client, teamId, prepared);
        if (outcome === 'written') {
          const details = { accepted: prepared.accepted, unchanged: prepared.unchanged, version: prepared.version };
          await client.query(auditStatement(actor, { action, target: `graph ${teamId}`, teamId, details }));
        }
        await client.query(outcome === 'written' ? 'commit' : 'rollback');
        return outcome;
      } catch (error) {
        isClean = await client.query('rollback').then(
          () => true,
          () => false,
        );
        if (isForeignKeyViolation(error)) return 'no team';
        throw error;
      } finally {
        client.release(!isClean);
      }
    },
  };
}

async function findState(client: Pick<pg.ClientBase, 'query'>, teamId: string): Promise<GraphState | undefined> {
  const text = 'select epoch, version, next_node_id, next_relationship_id from graphs where team_id = $1';
  const { rows } = await client.query<StateRow>({ name: 'graph_state', text, values: [teamId] });
  const row = rows.at(0);
  return row && { epoch: row.epoch, version: Number(row.version), nextNodeId: row.next_node_id, nextRelationshipId: row.next_relationship_id };
}
type StateRow = { epoch: string; version: string; next_node_id: number; next_relationship_id: number };

async function* portions(client: pg.ClientBase, teamId: string, table: string, columns: string, nextId: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < nextId; start += rowsPerPortion) {
    // COPY takes no parameters. The id is hexadecimal digits and dashes only, which is checked here once more.
    const team = /^[0-9a-f-]{36}$/.exec(teamId)?.[0] ?? '';
    const rows = `select ${columns} from ${table} where team_id = '${team}' and id >= ${start} and id < ${start + rowsPerPortion}`;
    yield await buffer(client.query(copyTo(`copy (${rows}) to stdout (format binary)`)));
  }
}

async function writeBatch(client: pg.ClientBase, teamId: string, prepared: Prepared): Promise<WriteOutcome> {
  const version = await lockVersion(client, teamId);
  if (version !== prepared.basedOn) return 'behind';
  if (prepared.deletedRelationships.length > 0) {
    await client.query('delete from relationships where team_id = $1 and id = any($2)', [teamId, prepared.deletedRelationships]);
  }
  if (prepared.deletedNodes.length > 0) {
    await client.query('delete from nodes where team_id = $1 and id = any($2)', [teamId, prepared.deletedNodes]);
  }
  if (prepared.newNodes) {
    await copyIn(client, 'copy nodes (team_id, id, label, name, active_from, active_to) from stdin (format binary)', toBuffer(prepared.newNodes.rows));
  }
  if (prepared.newRelationships) {
    await copyIn(client, 'copy relationships (team_id, id, source_id, target_id, facts) from stdin (format binary)', toBuffer(prepared.newRelationships.rows));
  }
  if (prepared.changedNodes.ids.length > 0) {
    const { ids, from, to } = prepared.changedNodes;
    await client.query(updateNodes, [teamId, ids, from, to]);
  }
  if (prepared.changedRelationships.ids.length > 0) {
    const { ids, facts } = prepared.changedRelationships;
    await client.query(updateRelationships, [teamId, ids, facts]);
  }
  await client.query(insertChange, [teamId, prepared.version, prepared.payload]);
  await client.query(updateGraph, [teamId, prepared.version, prepared.nextNodeId, prepared.nextRelationshipId]);
  if (prepared.version % keptChanges === 0) {
    await client.query('delete from graph_changes where team_id = $1 and version <= $2', [teamId, prepared.version - keptChanges]);
  }
  await client.query('select pg_notify($1, $2)', [graphChannel, teamId]);
  return 'written';
}

/** Makes the graph's row if there is none, and holds it until the transaction ends: one writer at a time. */
async function lockVersion(client: pg.ClientBase, teamId: string): Promise<number> {
  const lock = { name: 'graph_lock', text: 'select version from graphs where team_id = $1 for update', values: [teamId] };
  let { rows } = await client.query<{ version: string }>(lock);
  if (rows.length === 0) {
    await client.query('insert into graphs (team_id) values ($1) on conflict do nothing', [teamId]);
    ({ rows } = await client.query<{ version: string }>(lock));
  }
  return Number(rows[0].version);
}

const toBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const updateNodes = `
  update nodes set active_from = changed.active_from, active_to = changed.active_to
  from unnest($2::int[], $3::bigint[], $4::bigint[]) as changed (id, active_from, active_to)
  where nodes.team_id = $1 and nodes.id = changed.id`;

// A list of lists would have to be rectangular, so each list of facts travels as its text.
const updateRelationships = `
  update relationships set facts = changed.facts::bigint[]
  from unnest($2::int[], $3::text[]) as changed (id, facts)
  where relationships.team_id = $1 and relationships.id = changed.id`;

const insertChange = 'insert into graph_changes (team_id, version, payload) values ($1, $2, $3)';

const updateGraph = 'update graphs set version = $2, next_node_id = $3, next_relationship_id = $4 where team_id = $1';
