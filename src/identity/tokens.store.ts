import type { Kysely, Selectable } from 'kysely';
import { sql } from 'kysely';
import { writeAudit } from '../db/audit.ts';
import { bumpRevision } from '../db/revisions.ts';
import type { Tables } from '../db/tables.ts';
import type { Actor, Scope } from './access.ts';

export type Token = Omit<Selectable<Tables['tokens']>, 'hash'>;
export type NewToken = {
  user_id: string;
  name: string;
  prefix: string;
  hash: Buffer;
  scopes: Scope[];
  expires_at: Date | null;
};

export type TokensStore = ReturnType<typeof createTokensStore>;

const visible = ['id', 'user_id', 'name', 'prefix', 'scopes', 'created_at', 'expires_at', 'last_used_at'] as const;

export function createTokensStore(db: Kysely<Tables>) {
  return {
    list: (userId: string): Promise<Token[]> =>
      db
        .selectFrom('tokens')
        .select(visible)
        .where('user_id', '=', userId)
        .orderBy('created_at')
        .orderBy('id')
        .execute(),

    findByPrefix: (prefix: string) =>
      db
        .selectFrom('tokens')
        .select([...visible, 'hash'])
        .where('prefix', '=', prefix)
        .executeTakeFirst(),

    create: (token: NewToken, actor: Actor): Promise<Token> =>
      db.transaction().execute(async (db) => {
        const created = await db.insertInto('tokens').values(token).returning(visible).executeTakeFirstOrThrow();
        const details = { user: token.user_id, name: token.name, scopes: token.scopes };
        await writeAudit(db, actor, { action: 'token.create', target: `token ${created.id}`, details });
        return created;
      }),

    /** False when that user has no such token. */
    delete: (userId: string, tokenId: string, actor: Actor): Promise<boolean> =>
      db.transaction().execute(async (db) => {
        const gone = await db
          .deleteFrom('tokens')
          .where('id', '=', tokenId)
          .where('user_id', '=', userId)
          .returning('name')
          .executeTakeFirst();
        if (!gone) return false;
        await writeAudit(db, actor, {
          action: 'token.revoke',
          target: `token ${tokenId}`,
          details: { user: userId, name: gone.name },
        });
        await bumpRevision(db, 'identity');
        return true;
      }),

    /** One statement for all tokens used since the last call. */
    async recordUse(uses: ReadonlyMap<string, Date>): Promise<void> {
      await sql`
        update tokens set last_used_at = greatest(tokens.last_used_at, used.at)
        from unnest(${[...uses.keys()]}::uuid[], ${[...uses.values()]}::timestamptz[]) as used (id, at)
        where tokens.id = used.id`.execute(db);
    },
  };
}
