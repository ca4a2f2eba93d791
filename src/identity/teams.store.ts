import { type Kysely, type Selectable, sql } from 'kysely';
import { writeAudit } from '../db/audit.ts';
import { isUniqueViolation } from '../db/errors.ts';
import { bumpRevision } from '../db/revisions.ts';
import type { Tables } from '../db/tables.ts';
import { conflict } from '../errors.ts';
import type { Actor, Role } from './access.ts';

export type Team = Selectable<Tables['teams']>;
export type TeamGrant = { user: string; role: Role };

export type TeamsStore = ReturnType<typeof createTeamsStore>;

export function createTeamsStore(db: Kysely<Tables>) {
  return {
    list: (): Promise<Team[]> => db.selectFrom('teams').selectAll().orderBy('name').execute(),

    find: (id: string): Promise<Team | undefined> =>
      db.selectFrom('teams').selectAll().where('id', '=', id).executeTakeFirst(),

    create: (name: string, actor: Actor): Promise<Team> =>
      uniquely(name, () =>
        db.transaction().execute(async (db) => {
          const team = await db.insertInto('teams').values({ name }).returningAll().executeTakeFirstOrThrow();
          await writeAudit(db, actor, {
            action: 'team.create',
            target: `team ${team.id}`,
            teamId: team.id,
            details: { name },
          });
          return team;
        }),
      ),

    rename: (id: string, name: string, actor: Actor): Promise<Team | undefined> =>
      uniquely(name, () =>
        db.transaction().execute(async (db) => {
          const team = await db
            .updateTable('teams')
            .set({ name, updated_at: sql<Date>`clock_timestamp()` })
            .where('id', '=', id)
            .returningAll()
            .executeTakeFirst();
          if (!team) return undefined;
          await writeAudit(db, actor, { action: 'team.rename', target: `team ${id}`, teamId: id, details: { name } });
          await bumpRevision(db, 'identity');
          return team;
        }),
      ),

    delete: (id: string, actor: Actor): Promise<boolean> =>
      db.transaction().execute(async (db) => {
        const gone = await db.deleteFrom('teams').where('id', '=', id).returning('name').executeTakeFirst();
        if (!gone) return false;
        await writeAudit(db, actor, {
          action: 'team.delete',
          target: `team ${id}`,
          teamId: id,
          details: { name: gone.name },
        });
        await bumpRevision(db, 'identity');
        return true;
      }),

    listGrants: (teamId: string): Promise<TeamGrant[]> => selectGrants(db, teamId),

    /** Returns the names that no user has, and changes nothing then; undefined when the team is gone. */
    replaceGrants: (teamId: string, grants: TeamGrant[], actor: Actor): Promise<{ unknown: string[] } | undefined> =>
      db.transaction().execute(async (db) => {
        // The team's row is locked, so that two replacements cannot mix and the team stays until we are done.
        const team = await db.selectFrom('teams').select('id').where('id', '=', teamId).forUpdate().executeTakeFirst();
        if (!team) return undefined;
        const names = grants.map((grant) => grant.user);
        const users =
          names.length > 0
            ? await db.selectFrom('users').select(['id', 'name']).where('name', 'in', names).execute()
            : [];
        const idByName = new Map(users.map((user) => [user.name, user.id]));
        const unknown = names.filter((name) => !idByName.has(name));
        if (unknown.length > 0) return { unknown };
        await db.deleteFrom('grants').where('team_id', '=', teamId).execute();
        if (grants.length > 0) {
          const rows = grants.map((grant) => ({
            team_id: teamId,
            user_id: idByName.get(grant.user) ?? '',
            role: grant.role,
          }));
          await db.insertInto('grants').values(rows).execute();
        }
        await writeAudit(db, actor, { action: 'team.grants', target: `team ${teamId}`, teamId, details: { grants } });
        await bumpRevision(db, 'identity');
        return { unknown: [] };
      }),
  };
}

async function selectGrants(db: Kysely<Tables>, teamId: string): Promise<TeamGrant[]> {
  const rows = await db
    .selectFrom('grants')
    .innerJoin('users', 'users.id', 'grants.user_id')
    .select(['users.name as user', 'grants.role as role'])
    .where('grants.team_id', '=', teamId)
    .orderBy('users.name')
    .execute();
  return rows.map((row) => ({ user: row.user, role: row.role as Role })); // the column's check constraint allows nothing else
}

async function uniquely<T>(name: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (isUniqueViolation(error)) throw conflict(`A team named "${name}" exists already; choose another name.`);
    throw error;
  }
}
