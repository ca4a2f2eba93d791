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

/** The same as a plain statement, for transactions that run on a client of the pool; as part of a larger one, its parameters begin later. */
export function auditStatement(
  actor: Actor,
  entry: AuditEntry,
  firstParameter = 1,
): { text: string; values: unknown[] } {
  const values = [
    actor.userId,
    actor.userName,
    entry.action,
    entry.target,
    entry.teamId ?? null,
    JSON.stringify(entry.details ?? {}),
    actor.address,
    actor.requestId,
  ];
  const parameters = values.map((_, index) => `$${firstParameter + index}`).join(', ');
  return {
    text: `insert into audit_log (actor_id, actor_name, action, target, team_id, details, address, request_id)
           values (${parameters})`,
    values,
  };
}
