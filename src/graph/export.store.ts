import type { Database } from '../db/open.ts';
import type { ExportedNode, ExportedRelationship } from './export.ts';

export type ExportStore = ReturnType<typeof createExportStore>;

/** Small portions: the rows become text on the thread that also answers others. */
const rowsPerPortion = 1000;

type NodeRow = { id: number; label: string; name: string; active_from: string | null; active_to: string | null };
type RelationshipRow = { id: number; source_id: number; target_id: number; facts: string[] };

/**
 * Rows in the order of their ids, in portions. A portion is one statement; nothing is held between two of them, so that a slow reader holds up
 * nobody, and a change made meanwhile may be in it or not.
 */
export function createExportStore({ pool }: Pick<Database, 'pool'>) {
  async function* portions<Row extends { id: number }>(
    text: string,
    teamId: string,
    ids: number[] | null,
  ): AsyncGenerator<Row[]> {
    for (let after = -1; ; ) {
      const { rows } = await pool.query<Row>(text, [teamId, after, rowsPerPortion, ...(ids ? [ids] : [])]);
      if (rows.length > 0) yield rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < rowsPerPortion) return;
      after = last.id;
    }
  }

  return {
    /** With `ids`, only these nodes. */
    async *nodes(teamId: string, ids: number[] | null): AsyncGenerator<ExportedNode[]> {
      for await (const rows of portions<NodeRow>(ids ? someNodes : allNodes, teamId, ids)) {
        yield rows.map((row) => ({
          id: row.id,
          label: row.label,
          name: row.name,
          from: toNumber(row.active_from),
          to: toNumber(row.active_to),
        }));
      }
    },

    /** With `ids`, only what joins two of these nodes. */
    async *relationships(teamId: string, ids: number[] | null): AsyncGenerator<ExportedRelationship[]> {
      for await (const rows of portions<RelationshipRow>(ids ? someRelationships : allRelationships, teamId, ids)) {
        yield rows.map((row) => ({
          id: row.id,
          source: row.source_id,
          target: row.target_id,
          facts: row.facts.map(Number),
        }));
      }
    },
  };
}

const toNumber = (text: string | null): number | null => (text === null ? null : Number(text));

// Two statements each, not one with "or $4 is null": that one would be planned for neither case.
const allNodes = `
  select id, label, name, active_from, active_to from nodes
  where team_id = $1 and id > $2 order by id limit $3`;

const someNodes = `
  select id, label, name, active_from, active_to from nodes
  where team_id = $1 and id > $2 and id = any($4) order by id limit $3`;

const allRelationships = `
  select id, source_id, target_id, facts from relationships
  where team_id = $1 and id > $2 order by id limit $3`;

const someRelationships = `
  select id, source_id, target_id, facts from relationships
  where team_id = $1 and id > $2 and source_id = any($4) and target_id = any($4) order by id limit $3`;
