import type pg from 'pg';
import type { Actor } from '../identity/access.ts';
import { changeWithAudit } from './change.store.ts';
import type { Variables } from './query-template.ts';

export type QosSettings = { variables: Variables; counts_whole_day: boolean };

export type SettingsStore = ReturnType<typeof createSettingsStore>;

export function createSettingsStore(pool: pg.Pool) {
  return {
    async get(teamId: string): Promise<QosSettings> {
      const { rows } = await pool.query<QosSettings>(
        'select variables, counts_whole_day from qos_settings where team_id = $1',
        [teamId],
      );
      return rows[0] ?? { variables: {}, counts_whole_day: false };
    },

    async write(teamId: string, { variables, counts_whole_day }: QosSettings, actor: Actor): Promise<void> {
      await changeWithAudit(
        pool,
        actor,
        'setting',
        async (client) =>
          (
            await client.query<{ team_id: string }>(
              `insert into qos_settings (team_id, variables, counts_whole_day) values ($1, $2, $3)
               on conflict (team_id) do update
                 set variables = excluded.variables, counts_whole_day = excluded.counts_whole_day, updated_at = now()
               returning team_id`,
              [teamId, JSON.stringify(variables), counts_whole_day],
            )
          ).rows[0],
        () => ({
          action: 'qos.settings',
          target: `team ${teamId}`,
          teamId,
          details: { counts_whole_day, variables: Object.keys(variables) },
        }),
      );
    },
  };
}
