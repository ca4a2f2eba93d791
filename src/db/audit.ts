import type { Kysely } from 'kysely';
import type { Actor } from '../identity/access.ts';
import type { Tables } from './tables.ts';

export type AuditEntry = {
  /** What was done, such as `token.create`. */
  action: string;
  /** To what, such as `token 8f14…`. */
  target: string;
  teamId?: string;
  details?: Record<string, unknown>;
};

/** Called inside the transaction of the change itself, so that neither exists without the other. */
export async function writeAudit(db: Kysely<Tables>, actor: Actor, entry: AuditEntry): Promise<void> {
  await db
    .insertInto('audit_log')
    .values({
      actor_id: actor.userId,
      actor_name: actor.userName,
      action: entry.action,
      target: entry.target,
      team_id: entry.teamId ?? null,
      details: JSON.stringify(entry.details ?? {}),
      address: actor.address,
      request_id: actor.requestId,
    })
    .execute();
}
