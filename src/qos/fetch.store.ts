import type pg from 'pg';
import type { Variables } from './query-template.ts';

export type CheckToFetch = {
  id: string;
  name: string;
  source_id: string;
  source_variables: Variables;
  query: string;
  low: number | null;
  high: number | null;
  is_filled: boolean;
  variables: Variables;
};
export type RuleToFetch = {
  id: string;
  name: string;
  variables: Variables;
  team_variables: Variables;
  /** By name. */
  checks: CheckToFetch[];
};

export type FetchStore = ReturnType<typeof createFetchStore>;

export function createFetchStore(pool: pg.Pool) {
  return {
    /** A rule with all that its queries need, by id or by name. */
    async findRule(teamId: string, by: { id: string } | { name: string }): Promise<RuleToFetch | undefined> {
      const { rows } = await pool.query<RuleToFetch>(
        `select r.id, r.name, r.variables, coalesce(s.variables, '{}') as team_variables,
                coalesce((select json_agg(json_build_object(
                                   'id', c.id, 'name', c.name, 'source_id', c.source_id, 'source_variables', coalesce(v.variables, '{}'),
                                   'query', c.query, 'low', c.low, 'high', c.high, 'is_filled', c.is_filled, 'variables', c.variables)
                                 order by c.name collate "C")
                            from qos_rule_checks rc
                            join qos_checks c on c.team_id = rc.team_id and c.id = rc.check_id
                            left join qos_source_variables v on v.team_id = c.team_id and v.source_id = c.source_id
                           where rc.team_id = r.team_id and rc.rule_id = r.id), '[]') as checks
           from qos_rules r
           left join qos_settings s on s.team_id = r.team_id
          where r.team_id = $1 and ${'id' in by ? 'r.id' : 'r.name'} = $2`,
        [teamId, 'id' in by ? by.id : by.name],
      );
      return rows[0];
    },
  };
}
