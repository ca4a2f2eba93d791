import type { Database } from '../../src/db/open.ts';
import { isActiveAt, periodsOf } from '../../src/graph/periods.ts';

/** `Label:name` of the root → `Label:name` of each impacted node → whether it is active. */
export type Impact = Map<string, Map<string, boolean>>;

/**
 * The reference: impact of every node of several teams at one moment, asked of the rows by recursive SQL. The periods of each
 * relationship are worked out from its facts beforehand; everything else happens in the database.
 */
export async function impactBySql(
  database: Pick<Database, 'pool'>,
  teamIds: string[],
  ts: number,
): Promise<Map<string, Impact>> {
  // The service itself never asks the rows for what depends on a node; the reference does, and wants an index and figures for it.
  await database.pool.query('create index if not exists relationships_by_target on relationships (team_id, target_id)');
  await database.pool.query('analyze nodes, relationships');
  const { rows: facts } = await database.pool.query<{ team_id: string; id: number; facts: string[] }>(
    'select team_id, id, facts from relationships where team_id = any($1)',
    [teamIds],
  );
  const active = facts.filter((row) => isActiveAt(periodsOf(row.facts.map(Number)), ts));
  const { rows } = await database.pool.query<{ team_id: string; root: string; impacted: string; is_active: boolean }>(
    impactOfAll,
    [teamIds, ts, active.map((row) => row.team_id), active.map((row) => row.id)],
  );
  const impacts = new Map<string, Impact>(teamIds.map((id) => [id, new Map()]));
  for (const { team_id, root, impacted, is_active } of rows) {
    const impact = impacts.get(team_id);
    const of = impact?.get(root) ?? new Map<string, boolean>();
    of.set(impacted, is_active);
    impact?.set(root, of);
  }
  return impacts;
}

// UNION, not UNION ALL: relationships may form cycles. The second walk takes only what is active.
const impactOfAll = `
  with recursive
  active_relationships (team_id, id) as (select * from unnest($3::uuid[], $4::int[])),
  active_nodes as (
    select team_id, id from nodes
    where team_id = any($1) and coalesce(active_from, 0) <= $2 and coalesce(active_to, 9223372036854775807) >= $2
  ),
  reached (team_id, root, node) as (
    select team_id, id, id from nodes where team_id = any($1)
    union
    select r.team_id, reached.root, r.source_id
    from reached join relationships r on r.team_id = reached.team_id and r.target_id = reached.node
  ),
  reached_active (team_id, root, node) as (
    select team_id, id, id from active_nodes
    union
    select r.team_id, reached_active.root, r.source_id
    from reached_active
    join relationships r on r.team_id = reached_active.team_id and r.target_id = reached_active.node
    join active_relationships a on a.team_id = r.team_id and a.id = r.id
    join active_nodes n on n.team_id = r.team_id and n.id = r.source_id
  )
  select walked.team_id, root.label || ':' || root.name as root, node.label || ':' || node.name as impacted, is_active
  from (
    select team_id, root, node, false as is_active from reached
    union all
    select team_id, root, node, true from reached_active
  ) as walked
  join nodes root on root.team_id = walked.team_id and root.id = walked.root
  join nodes node on node.team_id = walked.team_id and node.id = walked.node
  where walked.root <> walked.node
  order by is_active`;
