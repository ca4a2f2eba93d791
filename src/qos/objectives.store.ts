import type pg from 'pg';
import type { Actor } from '../identity/access.ts';
import type { DayFigure } from './budget.ts';
import { changeWithAudit } from './change.store.ts';

export type ObjectiveRow = { label: string; target: number; window_days: number; updated_at: Date };

export type ObjectivesStore = ReturnType<typeof createObjectivesStore>;

const columns = 'label, target, window_days, updated_at';
const mostObjectives = 1000;

export function createObjectivesStore(pool: pg.Pool) {
  const change = (
    teamId: string,
    actor: Actor,
    action: string,
    run: (client: pg.ClientBase) => Promise<ObjectiveRow | undefined>,
  ) =>
    changeWithAudit(pool, actor, 'objective', run, ({ label, target, window_days }) => ({
      action: `objective.${action}`,
      target: `label ${label}`,
      teamId,
      details: { target, window_days },
    }));

  return {
    /** By label. */
    async list(teamId: string): Promise<ObjectiveRow[]> {
      const { rows } = await pool.query<ObjectiveRow>(
        `select ${columns} from qos_objectives where team_id = $1 order by label collate "C"`,
        [teamId],
      );
      return rows;
    },

    /** Undefined where the team has as many as it may have. */
    write: (teamId: string, label: string, target: number, windowDays: number, actor: Actor) =>
      change(teamId, actor, 'write', async (client) => {
        const { rows } = await client.query<ObjectiveRow>(
          `insert into qos_objectives (team_id, label, target, window_days)
           select $1, $2, $3, $4 where (select count(*) from qos_objectives where team_id = $1 and label <> $2) < ${mostObjectives}
           on conflict (team_id, label) do update
             set target = excluded.target, window_days = excluded.window_days, updated_at = now()
           returning ${columns}`,
          [teamId, label, target, windowDays],
        );
        return rows[0];
      }),

    delete: (teamId: string, label: string, actor: Actor) =>
      change(teamId, actor, 'delete', async (client) => {
        const { rows } = await client.query<ObjectiveRow>(
          `delete from qos_objectives where team_id = $1 and label = $2 returning ${columns}`,
          [teamId, label],
        );
        return rows[0];
      }),

    /** Figures of labels from one day to another, both included; trials are none. */
    async listFigures(teamId: string, labels: string[], from: string, to: string): Promise<Map<string, DayFigure[]>> {
      const { rows } = await pool.query<DayFigure & { label: string }>(
        `select label, to_char(day, 'YYYY-MM-DD') as day, value from qos_label_figures
          where team_id = $1 and trial = '00000000-0000-0000-0000-000000000000' and label = any ($2)
            and day between $3::date and $4::date
          order by label, day`,
        [teamId, labels, from, to],
      );
      return Map.groupBy(rows, ({ label }) => label);
    },
  };
}
