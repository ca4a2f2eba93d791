import type pg from 'pg';
import { meanOf } from './finish.store.ts';
import { noTrial } from './runs.store.ts';

export type NodeDay = { day: string; value: number | null; coverage: number };
export type LabelDay = NodeDay & { nodes: number; unknown_nodes: number; query: string };
export type WorstNode = { name: string; value: number; coverage: number };
export type LabelStatistics = {
  label: string;
  days: number;
  average: number | null;
  minimum: number | null;
  maximum: number | null;
  latest_day: string;
  latest_value: number | null;
  nodes: number;
  unknown_nodes: number;
};
export type NewestFigure = {
  team: string;
  team_id: string;
  label: string;
  day: string;
  value: number | null;
  coverage: number;
};
export type ChangedLabel = { label: string; before: number | null; after: number | null; nodes_changed: number };
export type ChangedNode = { label: string; name: string; before: number | null; after: number | null };

export type ResultsStore = ReturnType<typeof createResultsStore>;

/** Figures as people ask for them; the earliest day first. */
export function createResultsStore(pool: pg.Pool) {
  async function findNodeId(teamId: string, label: string, name: string): Promise<number | undefined> {
    const { rows } = await pool.query<{ id: number }>(
      'select id from nodes where team_id = $1 and label = $2 and name = $3',
      [teamId, label, name],
    );
    return rows[0]?.id;
  }

  async function listNodeDays(teamId: string, nodeId: number, start: string, end: string): Promise<NodeDay[]> {
    const { rows } = await pool.query<NodeDay>(
      `select day::text as day, value, coverage from qos_figures
       where team_id = $1 and trial = '${noTrial}' and node_id = $2 and day between $3 and $4 order by day`,
      [teamId, nodeId, start, end],
    );
    return rows;
  }

  async function listLabelDays(teamId: string, label: string, start: string, end: string): Promise<LabelDay[]> {
    const { rows } = await pool.query<LabelDay>(
      `select day::text as day, value, coverage, nodes, unknown_nodes, query from qos_label_figures
       where team_id = $1 and trial = '${noTrial}' and label = $2 and day between $3 and $4 order by day`,
      [teamId, label, start, end],
    );
    return rows;
  }

  async function findNewestDay(teamId: string, label: string): Promise<string | undefined> {
    const { rows } = await pool.query<{ day: string }>(
      `select day::text as day from qos_label_figures where team_id = $1 and trial = '${noTrial}' and label = $2 order by qos_label_figures.day desc limit 1`,
      [teamId, label],
    );
    return rows[0]?.day;
  }

  /** Those of which nothing is known are not among them. */
  async function listWorst(teamId: string, label: string, day: string, limit: number): Promise<WorstNode[]> {
    const { rows } = await pool.query<WorstNode>(
      `select n.name, f.value, f.coverage
       from qos_figures f join nodes n on n.team_id = f.team_id and n.id = f.node_id
       where f.team_id = $1 and f.trial = '${noTrial}' and f.day = $2 and f.label = $3 and f.value is not null
       order by f.value, n.name limit $4`,
      [teamId, day, label, limit],
    );
    return rows;
  }

  async function listStatistics(teamId: string, start: string, end: string): Promise<LabelStatistics[]> {
    const { rows } = await pool.query<LabelStatistics>(
      `select label, count(*)::int as days, ${meanOf('value')} as average, min(value) as minimum, max(value) as maximum,
         max(day)::text as latest_day, (array_agg(value order by day desc))[1] as latest_value,
         (array_agg(nodes order by day desc))[1] as nodes, (array_agg(unknown_nodes order by day desc))[1] as unknown_nodes
       from qos_label_figures where team_id = $1 and trial = '${noTrial}' and day between $2 and $3 group by label order by label`,
      [teamId, start, end],
    );
    return rows;
  }

  /** What a trial would change: each label that it computed, and the nodes that differ most. */
  async function compareTrial(
    teamId: string,
    runId: string,
    day: string,
    limit: number,
  ): Promise<{ labels: ChangedLabel[]; nodes: ChangedNode[] }> {
    const pairs = `
      from qos_figures t
      left join qos_figures f on f.team_id = t.team_id and f.trial = '${noTrial}' and f.day = t.day and f.node_id = t.node_id
      where t.team_id = $1 and t.trial = $2 and t.day = $3`;
    const labels = await pool.query<ChangedLabel>(
      `select t.label, f.value as before, t.value as after, coalesce(c.nodes_changed, 0)::int as nodes_changed
       from qos_label_figures t
       left join qos_label_figures f on f.team_id = t.team_id and f.trial = '${noTrial}' and f.day = t.day and f.label = t.label
       left join (select t.label, count(*) as nodes_changed ${pairs} and t.value is distinct from f.value group by t.label) c on c.label = t.label
       where t.team_id = $1 and t.trial = $2 and t.day = $3 order by t.label`,
      [teamId, runId, day],
    );
    const nodes = await pool.query<ChangedNode>(
      `select c.label, n.name, c.before, c.after
       from (
         select t.node_id, t.label, f.value as before, t.value as after, abs(t.value - f.value) as difference
         ${pairs} and t.value is distinct from f.value order by difference desc nulls first, t.node_id limit $4
       ) c join nodes n on n.team_id = $1 and n.id = c.node_id
       order by c.difference desc nulls first, n.name`,
      [teamId, runId, day, limit],
    );
    return { labels: labels.rows, nodes: nodes.rows };
  }

  /** The newest figure of every label of these teams; undefined is all. */
  async function listNewest(teamIds: string[] | undefined): Promise<NewestFigure[]> {
    // Label by label over the index: every day of every label would be read otherwise.
    const { rows } = await pool.query<NewestFigure>(
      `with recursive labels as (
         (select team_id, label from qos_label_figures
          where trial = '${noTrial}' and ($1::uuid[] is null or team_id = any ($1)) order by team_id, label limit 1)
         union all
         select n.team_id, n.label from labels l cross join lateral (
           select f.team_id, f.label from qos_label_figures f
           where f.trial = '${noTrial}' and ($1::uuid[] is null or f.team_id = any ($1)) and (f.team_id, f.label) > (l.team_id, l.label)
           order by f.team_id, f.label limit 1) n
       )
       select t.name as team, n.* from labels l join teams t on t.id = l.team_id cross join lateral (
         select f.team_id, f.label, f.day::text as day, f.value, f.coverage from qos_label_figures f
         where f.team_id = l.team_id and f.trial = '${noTrial}' and f.label = l.label order by f.day desc limit 1) n
       order by t.name, n.label`,
      [teamIds ?? null],
    );
    return rows;
  }

  return {
    findNodeId,
    listNodeDays,
    listLabelDays,
    findNewestDay,
    listWorst,
    listStatistics,
    compareTrial,
    listNewest,
  };
}
