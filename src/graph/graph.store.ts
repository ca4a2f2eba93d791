import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { auditStatement } from '../db/audit.ts';
import { copyIn } from '../db/copy-in.ts';
import { isForeignKeyViolation } from '../db/errors.ts';
import type { Database } from '../db/open.ts';
import type { Actor } from '../identity/access.ts';
import { copyEnd, copyHeaderBytes, inBlocks } from './copy-blocks.ts';
import type { RowSource } from './model/builder-thread.ts';
import type { Prepared } from './model/prepared.ts';

/** The durable state of one team's graph, as far as it is a number. */
export type GraphState = { epoch: string; version: number; nextNodeId: number; nextRelationshipId: number };
export type GraphChange = { version: number; payload: Uint8Array };
export type WriteOutcome = 'written' | 'behind' | 'no team';

export type GraphStore = ReturnType<typeof createGraphStore>;

/** Followers further behind than this load anew instead of reading every change. */
const keptChanges = 256;
/** Rows a COPY: the embedded database keeps a statement's whole answer in memory. */
const rowsPerPortion = 100_000;
export const graphChannel = 'graph_changes';

export function createGraphStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /** The graph's numbers; its row, with what tells its history from any other, is made when it is first looked at. */
    async ensureGraph(teamId: string): Promise<GraphState> {
      const state = await findState(pool, teamId);
      if (state) return state;
      // The team may be deleted at this very moment, so it is selected, not assumed.
      await pool.query('insert into graphs (team_id) select id from teams where id = $1 on conflict do nothing', [
        teamId,
      ]);
      return (await findState(pool, teamId)) ?? noGraph;
    },

    /** The newest versions of several teams at once; a team without a graph is not in the answer. */
    async listVersions(teamIds: string[]): Promise<Map<string, number>> {
      const text = 'select team_id, version from graphs where team_id = any($1)';
      const { rows } = await pool.query<{ team_id: string; version: string }>({
        name: 'graph_versions',
        text,
        values: [teamIds],
      });
      return new Map(rows.map((row) => [row.team_id, Number(row.version)]));
    },

    async listChanges(teamId: string, after: number, upTo: number): Promise<GraphChange[]> {
      const text =
        'select version, payload from graph_changes where team_id = $1 and version > $2 and version <= $3 order by version';
      const { rows } = await pool.query<{ version: string; payload: Buffer }>({
        name: 'graph_changes',
        text,
        values: [teamId, after, upTo],
      });
      return rows.map((row) => ({ version: Number(row.version), payload: row.payload }));
    },

    /**
     * All rows of a graph from one moment in time, as two binary COPY streams to be read one after the other. The transaction ends with the
     * second, or with whichever is given up.
     */
    async openRows(teamId: string): Promise<RowSource> {
      const client = await pool.connect();
      let isOpen = true;
      const end = async (isClean: boolean): Promise<void> => {
        if (!isOpen) return;
        isOpen = false;
        if (isClean) await client.query('commit');
        client.release(!isClean);
      };
      try {
        await client.query('begin isolation level repeatable read, read only');
        const { version, nextNodeId, nextRelationshipId } = (await findState(client, teamId)) ?? noGraph;
        const nodes = portions(client, teamId, 'nodes', 'id, label, name, active_from, active_to', nextNodeId);
        const relationships = portions(
          client,
          teamId,
          'relationships',
          'id, source_id, target_id, facts',
          nextRelationshipId,
        );
        return {
          version,
          nextNodeId,
          nextRelationshipId,
          nodes: finishing(nodes, async (isWhole) => void (isWhole || (await end(false)))),
          relationships: finishing(relationships, end),
        };
      } catch (error) {
        await end(false);
        throw error;
      }
    },

    /** One batch: rows, version, change log and audit entry together, or nothing of it. */
    async write(teamId: string, prepared: Prepared, actor: Actor, action: string): Promise<WriteOutcome> {
      const client = await pool.connect();
      let isClean = true;
      try {
        await client.query('begin');
        const details = { accepted: prepared.accepted, unchanged: prepared.unchanged, version: prepared.version };
        const said = { action, target: `graph ${teamId}`, teamId, details };
        const outcome = await writeBatch(client, teamId, prepared, (first) => auditStatement(actor, said, first));
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

const noGraph: GraphState = { epoch: '', version: 0, nextNodeId: 0, nextRelationshipId: 0 };

/** Tells at the end whether everything was read. */
async function* finishing<T>(source: AsyncIterable<T>, onEnd: (isWhole: boolean) => Promise<void>): AsyncGenerator<T> {
  let isWhole = false;
  try {
    yield* source;
    isWhole = true;
  } finally {
    await onEnd(isWhole);
  }
}

async function findState(client: Pick<pg.ClientBase, 'query'>, teamId: string): Promise<GraphState | undefined> {
  const text = 'select epoch, version, next_node_id, next_relationship_id from graphs where team_id = $1';
  const { rows } = await client.query<StateRow>({ name: 'graph_state', text, values: [teamId] });
  const row = rows.at(0);
  return (
    row && {
      epoch: row.epoch,
      version: Number(row.version),
      nextNodeId: row.next_node_id,
      nextRelationshipId: row.next_relationship_id,
    }
  );
}
type StateRow = { epoch: string; version: string; next_node_id: number; next_relationship_id: number };

/**
 * One binary COPY stream, put together from portions: each has a header of 19 bytes and an end mark of two, of which only the first header
 * and one end mark remain. In blocks of which each has its memory to itself, so that it can be given away.
 */
async function* portions(
  client: pg.ClientBase,
  teamId: string,
  table: string,
  columns: string,
  nextId: number,
): AsyncGenerator<Uint8Array> {
  // COPY takes no parameters. The id is hexadecimal digits and dashes only, which is checked here once more.
  const team = /^[0-9a-f-]{36}$/.exec(teamId)?.[0] ?? '';
  let start = 0;
  do {
    const rows = `select ${columns} from ${table} where team_id = '${team}' and id >= ${start} and id < ${start + rowsPerPortion}`;
    const portion = client.query(copyTo(`copy (${rows}) to stdout (format binary)`));
    yield* inBlocks(portion, start === 0 ? 0 : copyHeaderBytes);
    start += rowsPerPortion;
  } while (start < nextId);
  yield copyEnd;
}

async function writeBatch(
  client: pg.ClientBase,
  teamId: string,
  prepared: Prepared,
  audit: Audit,
): Promise<WriteOutcome> {
  const version = await lockVersion(client, teamId);
  if (version !== prepared.basedOn) return 'behind';
  if (prepared.deletedRelationships.length > 0) {
    await client.query('delete from relationships where team_id = $1 and id = any($2)', [
      teamId,
      prepared.deletedRelationships,
    ]);
  }
  if (prepared.deletedNodes.length > 0) {
    await client.query('delete from nodes where team_id = $1 and id = any($2)', [teamId, prepared.deletedNodes]);
  }
  if (prepared.newNodes) {
    await copyIn(
      client,
      'copy nodes (team_id, id, label, name, active_from, active_to) from stdin (format binary)',
      toBuffer(prepared.newNodes.rows),
    );
  }
  if (prepared.newRelationships) {
    await copyIn(
      client,
      'copy relationships (team_id, id, source_id, target_id, facts) from stdin (format binary)',
      toBuffer(prepared.newRelationships.rows),
    );
  }
  if (prepared.changedNodes.ids.length > 0) {
    const { ids, from, to } = prepared.changedNodes;
    await client.query(updateNodes, [teamId, ids, from, to]);
  }
  if (prepared.changedRelationships.ids.length > 0) {
    const { ids, facts } = prepared.changedRelationships;
    await client.query(updateRelationships, [teamId, ids, facts]);
  }
  if (prepared.version % keptChanges === 0) {
    await client.query('delete from graph_changes where team_id = $1 and version <= $2', [
      teamId,
      prepared.version - keptChanges,
    ]);
  }
  await client.query(finishBatch(teamId, prepared, audit));
  return 'written';
}

/** Makes the graph's row if there is none, and holds it until the transaction ends: one writer at a time. */
async function lockVersion(client: pg.ClientBase, teamId: string): Promise<number> {
  const lock = {
    name: 'graph_lock',
    text: 'select version from graphs where team_id = $1 for update',
    values: [teamId],
  };
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

/** The audit entry as a statement whose parameters begin at this number. */
type Audit = (firstParameter: number) => { text: string; values: unknown[] };

/** What every batch ends with, change, new version, audit entry and notification, in one statement: each would be a round trip of its own. */
function finishBatch(teamId: string, prepared: Prepared, audit: Audit) {
  const { version, nextNodeId, nextRelationshipId, payload } = prepared;
  const own = [teamId, version, payload, nextNodeId, nextRelationshipId, graphChannel, teamId];
  const { text: auditText, values: auditValues } = audit(own.length + 1);
  return {
    name: 'graph_finish',
    text: `
      with change as (insert into graph_changes (team_id, version, payload) values ($1, $2, $3)),
        graph as (update graphs set version = $2, next_node_id = $4, next_relationship_id = $5 where team_id = $1),
        audit as (${auditText})
      select pg_notify($6, $7)`,
    values: [...own, ...auditValues],
  };
}
