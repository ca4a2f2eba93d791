import { Client } from 'pg';
import type { Estate } from './estate.ts';
import { NOW } from './layered-graph.ts';
import type { Root } from './sized-graph.ts';

export type SqlPeer = {
  count(root: Root): Promise<number>;
  /** The names of a page of 25, and how many of them are active. */
  page(root: Root, impactedLabel: string): Promise<{ name: string; active: boolean }[]>;
  close(): Promise<void>;
};

/** The same questions to the same rows, as one would ask without a read model: prepared, with memory for its hashes, without waiting for JIT. */
export async function connectSqlPeer(estate: Estate): Promise<SqlPeer> {
  const client = new Client({ connectionString: estate.databaseUrl });
  await client.connect();
  await client.query(`set work_mem = '256MB'; set jit = off`);
  return {
    async count({ label, name }) {
      const values = [estate.teamId, label, name];
      const { rows } = await client.query<{ count: string }>({ name: 'count', text: countImpacted, values });
      return Number(rows[0].count);
    },
    async page({ label, name }, impactedLabel) {
      const values = [estate.teamId, label, name, NOW, impactedLabel];
      return (await client.query<{ name: string; active: boolean }>({ name: 'page', text: pageOfImpacted, values }))
        .rows;
    },
    close: () => client.end(),
  };
}

// UNION, not UNION ALL: relationships may form cycles.
const impacted = `
  root as materialized (
    select id, active_from, active_to from nodes where team_id = $1 and label = $2 and name = $3
  ),
  impacted (id) as (
    select id from root
    union
    select source_id from impacted join relationships on team_id = $1 and target_id = impacted.id
  )`;

const countImpacted = `
  with recursive ${impacted}
  select count(*) from impacted where id <> (select id from root)`;

// Generated relationships carry one opening or one span, so their time is read off the first two facts.
const pageOfImpacted = `
  with recursive ${impacted},
  active (id) as (
    select id from root where coalesce(active_from <= $4, true) and coalesce(active_to >= $4, true)
    union
    select nodes.id
    from active
    join relationships on relationships.team_id = $1 and target_id = active.id
    join nodes on nodes.team_id = $1 and nodes.id = source_id
    where coalesce(facts[1] <= $4, true) and coalesce(-facts[2] - 1 >= $4, true)
      and coalesce(active_from <= $4, true) and coalesce(active_to >= $4, true)
  )
  select name, active.id is not null as active, active_from, active_to
  from impacted
  join nodes on nodes.team_id = $1 and nodes.id = impacted.id
  left join active on active.id = nodes.id
  where nodes.label = $5 and nodes.id <> (select id from root)
  order by name
  limit 25`;
