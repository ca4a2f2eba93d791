import type pg from 'pg';
import { conflict } from '../errors.ts';
import type { Actor } from '../identity/access.ts';
import { changesOf, type Named } from './change.store.ts';
import type { Variables } from './query-template.ts';

export type CheckContent = {
  name: string;
  description: string;
  source_id: string;
  query: string;
  low: number | null;
  high: number | null;
  is_filled: boolean;
  variables: Variables;
};
export type CheckRow = CheckContent & {
  id: string;
  source_name: string;
  /** Those that it is part of, by name. */
  rules: Array<{ id: string; name: string }>;
  created_at: Date;
  updated_at: Date;
};

export type ChecksStore = ReturnType<typeof createChecksStore>;

const select = `
  select c.id, c.name, c.description, c.source_id, i.name as source_name, c.query, c.low, c.high, c.is_filled, c.variables,
         c.created_at, c.updated_at,
         coalesce((select json_agg(json_build_object('id', r.id, 'name', r.name) order by r.name collate "C")
                     from qos_rule_checks rc
                     join qos_rules r on r.team_id = rc.team_id and r.id = rc.rule_id
                    where rc.team_id = c.team_id and rc.check_id = c.id), '[]') as rules
    from qos_checks c
    join integrations i on i.team_id = c.team_id and i.id = c.source_id
   where c.team_id = $1`;

const mostChecks = 5000;

export function createChecksStore(pool: pg.Pool) {
  const change = changesOf(pool, 'check');

  return {
    /** By name. */
    async list(teamId: string): Promise<CheckRow[]> {
      return (await pool.query<CheckRow>(`${select} order by c.name collate "C"`, [teamId])).rows;
    },

    async find(teamId: string, id: string): Promise<CheckRow | undefined> {
      return (await pool.query<CheckRow>(`${select} and c.id = $2`, [teamId, id])).rows[0];
    },

    /** Those of a source, of a rule, or with one of these ids or names. */
    async listOf(
      teamId: string,
      {
        sourceId = null,
        ruleId = null,
        idsOrNames = null,
      }: { sourceId?: string | null; ruleId?: string | null; idsOrNames?: string[] | null },
    ): Promise<CheckRow[]> {
      const { rows } = await pool.query<CheckRow>(
        `${select}
           and ($2::uuid is null or c.source_id = $2)
           and ($3::uuid is null or exists (select 1 from qos_rule_checks rc
                                             where rc.team_id = c.team_id and rc.rule_id = $3 and rc.check_id = c.id))
           and ($4::text[] is null or c.id::text = any ($4) or c.name = any ($4))
         order by c.name collate "C"`,
        [teamId, sourceId, ruleId, idsOrNames],
      );
      return rows;
    },

    async create(teamId: string, content: CheckContent, actor: Actor): Promise<string> {
      const row = await change(teamId, actor, 'create', async (client) => {
        const { rows } = await client.query<Named>(
          `insert into qos_checks (team_id, name, description, source_id, query, low, high, is_filled, variables)
           select $1, $2, $3, $4, $5, $6, $7, $8, $9 where (select count(*) from qos_checks where team_id = $1) < ${mostChecks}
           returning id, name`,
          [teamId, ...valuesOf(content)],
        );
        return rows[0];
      });
      if (!row) throw conflict(`A team has at most ${mostChecks} checks; delete some first.`);
      return row.id;
    },

    async update(teamId: string, id: string, content: CheckContent, actor: Actor): Promise<void> {
      await change(teamId, actor, 'update', async (client) => {
        const { rows } = await client.query<Named>(
          `update qos_checks
              set name = $3, description = $4, source_id = $5, query = $6, low = $7, high = $8, is_filled = $9, variables = $10,
                  updated_at = now()
            where team_id = $1 and id = $2 returning id, name`,
          [teamId, id, ...valuesOf(content)],
        );
        return rows[0];
      });
    },

    async delete(teamId: string, id: string, actor: Actor): Promise<boolean> {
      const row = await change(teamId, actor, 'delete', async (client) => {
        const { rows } = await client.query<Named>(
          'delete from qos_checks where team_id = $1 and id = $2 returning id, name',
          [teamId, id],
        );
        return rows[0];
      });
      return row !== undefined;
    },
  };
}

const valuesOf = (content: CheckContent): unknown[] => [
  content.name,
  content.description,
  content.source_id,
  content.query,
  content.low,
  content.high,
  content.is_filled,
  JSON.stringify(content.variables),
];
