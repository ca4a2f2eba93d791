import type pg from 'pg';
import { conflict } from '../errors.ts';
import type { Actor } from '../identity/access.ts';
import { changesOf, type Named } from './change.store.ts';
import type { Variables } from './query-template.ts';

export type RuleContent = { name: string; description: string; variables: Variables };
export type RuleRow = RuleContent & {
  id: string;
  /** By name. */
  checks: Array<{ id: string; name: string }>;
  created_at: Date;
  updated_at: Date;
};

export type RulesStore = ReturnType<typeof createRulesStore>;

const select = `
  select r.id, r.name, r.description, r.variables, r.created_at, r.updated_at,
         coalesce((select json_agg(json_build_object('id', c.id, 'name', c.name) order by c.name collate "C")
                     from qos_rule_checks rc
                     join qos_checks c on c.team_id = rc.team_id and c.id = rc.check_id
                    where rc.team_id = r.team_id and rc.rule_id = r.id), '[]') as checks
    from qos_rules r
   where r.team_id = $1`;

const mostRules = 2000;

export function createRulesStore(pool: pg.Pool) {
  const change = changesOf(pool, 'rule');

  return {
    /** By name. */
    async list(teamId: string): Promise<RuleRow[]> {
      return (await pool.query<RuleRow>(`${select} order by r.name collate "C"`, [teamId])).rows;
    },

    async listNames(teamId: string): Promise<string[]> {
      const { rows } = await pool.query<{ name: string }>('select name from qos_rules where team_id = $1', [teamId]);
      return rows.map(({ name }) => name);
    },

    async find(teamId: string, id: string): Promise<RuleRow | undefined> {
      return (await pool.query<RuleRow>(`${select} and r.id = $2`, [teamId, id])).rows[0];
    },

    async create(teamId: string, { name, description, variables }: RuleContent, actor: Actor): Promise<string> {
      const row = await change(teamId, actor, 'create', async (client) => {
        const { rows } = await client.query<Named>(
          `insert into qos_rules (team_id, name, description, variables)
           select $1, $2, $3, $4 where (select count(*) from qos_rules where team_id = $1) < ${mostRules}
           returning id, name`,
          [teamId, name, description, JSON.stringify(variables)],
        );
        return rows[0];
      });
      if (!row) throw conflict(`A team has at most ${mostRules} rules; delete some first.`);
      return row.id;
    },

    async update(
      teamId: string,
      id: string,
      { name, description, variables }: RuleContent,
      actor: Actor,
    ): Promise<void> {
      await change(teamId, actor, 'update', async (client) => {
        const { rows } = await client.query<Named>(
          `update qos_rules set name = $3, description = $4, variables = $5, updated_at = now()
            where team_id = $1 and id = $2 returning id, name`,
          [teamId, id, name, description, JSON.stringify(variables)],
        );
        return rows[0];
      });
    },

    /** These checks and no others. */
    async setChecks(teamId: string, id: string, checkIds: string[], actor: Actor): Promise<void> {
      await change(teamId, actor, 'set_checks', async (client) => {
        const { rows } = await client.query<Named>(
          'update qos_rules set updated_at = now() where team_id = $1 and id = $2 returning id, name',
          [teamId, id],
        );
        if (rows.length === 0) return undefined;
        await client.query('delete from qos_rule_checks where team_id = $1 and rule_id = $2', [teamId, id]);
        await client.query(
          'insert into qos_rule_checks (team_id, rule_id, check_id) select $1, $2, unnest($3::uuid[])',
          [teamId, id, checkIds],
        );
        return rows[0];
      });
    },

    async delete(teamId: string, id: string, actor: Actor): Promise<boolean> {
      const row = await change(teamId, actor, 'delete', async (client) => {
        const { rows } = await client.query<Named>(
          'delete from qos_rules where team_id = $1 and id = $2 returning id, name',
          [teamId, id],
        );
        return rows[0];
      });
      return row !== undefined;
    },
  };
}
