import type pg from 'pg';
import { noTrial } from './runs.store.ts';

export type ExplainedFigure = {
  nodeId: number;
  label: string;
  name: string;
  value: number | null;
  coverage: number;
  timeline: Uint8Array | null;
  runId: string;
};
export type ExplainedCheckRow = {
  check: string;
  value: number | null;
  coverage: number;
  timeline: Uint8Array | null;
  points: number;
  failure: string | null;
};

export type ExplanationStore = ReturnType<typeof createExplanationStore>;

/** What an explanation is made of: the figures of one day, as they were computed. */
export function createExplanationStore(pool: pg.Pool) {
  /** Worst first, those of which nothing is known last; `limit` bounds what a node with very many dependencies costs. */
  async function listFigures(
    teamId: string,
    day: string,
    nodeIds: number[],
    limit: number,
  ): Promise<ExplainedFigure[]> {
    const { rows } = await pool.query<ExplainedFigure>(
      `select f.node_id as "nodeId", f.label, n.name, f.value, f.coverage, f.timeline, f.run_id as "runId"
       from qos_figures f join nodes n on n.team_id = f.team_id and n.id = f.node_id
       where f.team_id = $1 and f.trial = '${noTrial}' and f.day = $2 and f.node_id = any ($3)
       order by f.value nulls last, f.node_id limit $4`,
      [teamId, day, nodeIds, limit],
    );
    return rows;
  }

  async function listChecks(teamId: string, day: string, nodeId: number): Promise<ExplainedCheckRow[]> {
    const { rows } = await pool.query<ExplainedCheckRow>(
      `select check_name as "check", value, coverage, timeline, points, failure from qos_check_figures
       where team_id = $1 and trial = '${noTrial}' and day = $2 and node_id = $3 order by check_name`,
      [teamId, day, nodeId],
    );
    return rows;
  }

  /** By label, the query that its figures of that day were computed with. */
  async function listQueries(teamId: string, day: string): Promise<Map<string, string>> {
    const { rows } = await pool.query<{ label: string; query: string }>(
      `select label, query from qos_label_figures where team_id = $1 and trial = '${noTrial}' and day = $2`,
      [teamId, day],
    );
    return new Map(rows.map(({ label, query }) => [label, query]));
  }

  async function findNewestDay(teamId: string, nodeId: number): Promise<string | undefined> {
    const { rows } = await pool.query<{ day: string }>(
      `select f.day::text as day from qos_figures f
       where f.team_id = $1 and f.trial = '${noTrial}' and f.node_id = $2 order by f.day desc limit 1`,
      [teamId, nodeId],
    );
    return rows[0]?.day;
  }

  return { listFigures, listChecks, listQueries, findNewestDay };
}
