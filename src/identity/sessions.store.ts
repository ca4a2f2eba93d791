import type { Kysely } from 'kysely';
import { writeAudit } from '../db/audit.ts';
import { isForeignKeyViolation } from '../db/errors.ts';
import { bumpRevision } from '../db/revisions.ts';
import type { Tables } from '../db/tables.ts';
import { unauthorized } from '../errors.ts';
import type { Actor, Scope } from './access.ts';

export type NewSession = { user_id: string; token_id: string | null; hash: Buffer; scopes: Scope[]; expires_at: Date };

export type SessionsStore = ReturnType<typeof createSessionsStore>;

export function createSessionsStore(db: Kysely<Tables>) {
  return {
    /** Sessions whose time is over are cleared away in passing. */
    create: (session: NewSession, actor: Actor, now: Date): Promise<void> =>
      db.transaction().execute(async (db) => {
        await db.deleteFrom('sessions').where('expires_at', '<=', now).execute();
        await db.insertInto('sessions').values(session).execute().catch(refuseRevokedToken);
        await writeAudit(db, actor, { action: 'session.create', target: `user ${session.user_id}` });
      }),

    delete: (hash: Buffer, actor: Actor): Promise<void> =>
      db.transaction().execute(async (db) => {
        const gone = await db.deleteFrom('sessions').where('hash', '=', hash).returning('user_id').executeTakeFirst();
        if (!gone) return;
        await writeAudit(db, actor, { action: 'session.delete', target: `user ${gone.user_id}` });
        await bumpRevision(db, 'identity');
      }),
  };
}

/** Another process may have revoked the token since this one looked. */
function refuseRevokedToken(error: unknown): never {
  if (isForeignKeyViolation(error)) throw unauthorized('That token was revoked a moment ago; use another.');
  throw error;
}
