import type { Kysely, Selectable } from 'kysely';
import type { Tables } from '../db/tables.ts';

export type AuditRow = Selectable<Tables['audit_log']>;
export type AuditFilter = { action?: string; user?: string; teamId?: string; before?: number; limit: number };

export type AuditStore = ReturnType<typeof createAuditStore>;

export function createAuditStore(db: Kysely<Tables>) {
  return {
    /** Newest first. */
    list(filter: AuditFilter): Promise<AuditRow[]> {
      let query = db.selectFrom('audit_log').selectAll().orderBy('id', 'desc').limit(filter.limit);
      if (filter.before !== undefined) query = query.where('id', '<', String(filter.before));
      if (filter.action !== undefined) query = query.where('action', '=', filter.action);
      if (filter.user !== undefined) query = query.where('actor_name', '=', filter.user);
      if (filter.teamId !== undefined) query = query.where('team_id', '=', filter.teamId);
      return query.execute();
    },
  };
}
