import type { Database } from '../db/open.ts';
import type { ExportedNode, ExportedRelationship } from './export.ts';

export type ExportStore = ReturnType<typeof createExportStore>;

/** Small portions: the rows become text on the thread that also answers others. */
const rowsPerPortion = 1000;

type NodeRow = { id: number; label: string; name: string; active_from: string | null; active_to: string | null };
type RelationshipRow = {
  id: number;
  source_id: number;
  source_label: string;
  source_name: string;
  target_id: number;
  target_label: string;
  target_name: string;
  facts: string[];
};

/**
 * Rows in the order of their ids, in portions. A portion is one statement; nothing is held between two of them, so that a slow reader holds up
 * nobody, and a change made meanwhile may be in it or not.
 */
export function createExportStore({ pool }: Pick<Database, 'pool'>) {
  async function* portions<Row extends { id: number }>(
    name: string,
    text: string,
    teamId: string,
    ids: number[] | null,
  ): AsyncGenerator<Row[]> {
    for (let after = -1; ; ) {
      const { rows } = await pool.query<Row>({ name, text, values: [teamId, after, rowsPerPortion, ids] });
      if (rows.length > 0) yield rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < rowsPerPortion) return;
      after = last.id;
    }
  }

  return {
    /** With `ids`, only these nodes. */
    async *nodes(teamId: string, ids: number[] | null): AsyncGenerator<ExportedNode[]> {
      for await (const rows of portions<NodeRow>('export_nodes', selectNodes, teamId, ids)) {
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
      for await (const rows of portions<RelationshipRow>('export_relationships', selectRelationships, teamId, ids)) {
        yield rows.map((row) => ({
          id: row.id,
          source: { id: row.source_id, label: row.source_label, name: row.source_name },
          target: { id: row.target_id, label: row.target_label, name: row.target_name },
          facts: row.facts.map(Number),
        }));
      }
    },
  };
}

const toNumber = (text: string | null): number | null => (text === null ? null : Number(text));

const selectNodes = `
  select id, label, name, active_from, active_to from nodes
  where team_id = $1 and id > $2 and ($4::int[] is null or id = any($4))
  order by id limit $3`;

const selectRelationships = `
  select relationships.id, source_id, source.label as source_label, source.name as source_name,
         target_id, target.label as target_label, target.name as target_name, facts
  from (
    select id, source_id, target_id, facts from relationships
    where team_id = $1 and id > $2 and ($4::int[] is null or (source_id = any($4) and target_id = any($4)))
    order by id limit $3
  ) as relationships
  join nodes as source on source.team_id = $1 and source.id = source_id
  join nodes as target on target.team_id = $1 and target.id = target_id
  order by relationships.id`;
