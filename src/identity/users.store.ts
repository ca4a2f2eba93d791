import { type Kysely, type Selectable, sql } from 'kysely';
import { writeAudit } from '../db/audit.ts';
import { isUniqueViolation } from '../db/errors.ts';
import { bumpRevision } from '../db/revisions.ts';
import type { Tables } from '../db/tables.ts';
import { conflict } from '../errors.ts';
import type { Actor } from './access.ts';

export type User = Selectable<Tables['users']>;
export type UserChange = { is_admin?: boolean; is_disabled?: boolean };

export type UsersStore = ReturnType<typeof createUsersStore>;

export function createUsersStore(db: Kysely<Tables>) {
  return {
    list: (): Promise<User[]> => db.selectFrom('users').selectAll().orderBy('name').execute(),

    find: (id: string): Promise<User | undefined> =>
      db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst(),

    findByName: (name: string): Promise<User | undefined> =>
      db.selectFrom('users').selectAll().where('name', '=', name).executeTakeFirst(),

    findBySubject: (subject: string): Promise<User | undefined> =>
      db.selectFrom('users').selectAll().where('oidc_subject', '=', subject).executeTakeFirst(),

    async create(user: { name: string; is_admin?: boolean; oidc_subject?: string }, actor: Actor): Promise<User> {
      try {
        return await db.transaction().execute(async (db) => {
          const created = await db.insertInto('users').values(user).returningAll().executeTakeFirstOrThrow();
          const details = { name: user.name, admin: created.is_admin };
          await writeAudit(db, actor, { action: 'user.create', target: `user ${created.id}`, details });
          return created;
        });
      } catch (error) {
        if (isUniqueViolation(error))
          throw conflict(`A user named "${user.name}" exists already; choose another name.`);
        throw error;
      }
    },

    /** Undefined when there is no such user; a conflict when nobody would be left who can administer the service. */
    update: (id: string, change: UserChange, actor: Actor): Promise<User | undefined> =>
      db.transaction().execute(async (db) => {
        // All administrators are locked, so that two of them cannot remove each other at once.
        const admins = await db
          .selectFrom('users')
          .select('id')
          .where('is_admin', '=', true)
          .where('is_disabled', '=', false)
          .orderBy('id')
          .forUpdate()
          .execute();
        const updated = await db
          .updateTable('users')
          .set({ ...change, updated_at: sql<Date>`clock_timestamp()` })
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirst();
        if (!updated) return undefined;
        const isLastAdmin = admins.length === 1 && admins[0].id === updated.id;
        if (isLastAdmin && (updated.is_disabled || !updated.is_admin)) {
          throw conflict(`"${updated.name}" is the last administrator; make somebody else one first.`);
        }
        await writeAudit(db, actor, { action: 'user.update', target: `user ${id}`, details: { ...change } });
        await bumpRevision(db, 'identity');
        return updated;
      }),
  };
}
