import type pg from 'pg';
import type { Actor } from '../identity/access.ts';
import { changeWithAudit } from './change.store.ts';
import type { Variables } from './query-template.ts';

export type SourcesStore = ReturnType<typeof createSourcesStore>;

/** What sources have beyond integrations: variables. */
export function createSourcesStore(pool: pg.Pool) {
  return {
    async listVariables(teamId: string): Promise<Map<string, Variables>> {
      const { rows } = await pool.query<{ source_id: string; variables: Variables }>(
        'select source_id, variables from qos_source_variables where team_id = $1',
        [teamId],
      );
      return new Map(rows.map(({ source_id, variables }) => [source_id, variables]));
    },

    async writeVariables(teamId: string, sourceId: string, variables: Variables, actor: Actor): Promise<void> {
      await changeWithAudit(
        pool,
        actor,
        'source',
        async (client) =>
          (
            await client.query<{ source_id: string }>(
              `insert into qos_source_variables (team_id, source_id, variables) values ($1, $2, $3)
               on conflict (team_id, source_id) do update set variables = excluded.variables
               returning source_id`,
              [teamId, sourceId, JSON.stringify(variables)],
            )
          ).rows[0],
        () => ({
          action: 'source.variables',
          target: `integration ${sourceId}`,
          teamId,
          details: { variables: Object.keys(variables) },
        }),
      );
    },
  };
}
