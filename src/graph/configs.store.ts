import type { Kysely, Selectable } from 'kysely';
import { writeAudit } from '../db/audit.ts';
import type { Tables } from '../db/tables.ts';
import type { Actor } from '../identity/access.ts';
import type { TeamConfig } from '../qos/config-check.ts';

export type ConfigRow = Selectable<Tables['configs']> & { is_current: boolean };

export type ConfigsStore = ReturnType<typeof createConfigsStore>;

export function createConfigsStore(db: Kysely<Tables>) {
  return {
    /** Newest first. */
    list: (teamId: string): Promise<ConfigRow[]> => select(db, teamId).orderBy('configs.number', 'desc').execute(),

    find: (teamId: string, id: string): Promise<ConfigRow | undefined> =>
      select(db, teamId).where('configs.id', '=', id).executeTakeFirst(),

    findCurrent: (teamId: string): Promise<ConfigRow | undefined> =>
      select(db, teamId).where('current_configs.config_id', 'is not', null).executeTakeFirst(),

    /** The new version is the current one from here on. */
    create: (teamId: string, config: TeamConfig, actor: Actor): Promise<string> =>
      db.transaction().execute(async (db) => {
        // The team's row is locked, so that numbers are given out one by one.
        await db.selectFrom('teams').select('id').where('id', '=', teamId).forUpdate().execute();
        const last = await db
          .selectFrom('configs')
          .select(({ fn }) => fn.max('number').as('number'))
          .where('team_id', '=', teamId)
          .executeTakeFirst();
        const { id } = await db
          .insertInto('configs')
          .values({
            team_id: teamId,
            number: (last?.number ?? 0) + 1,
            config: JSON.stringify(config),
            created_by: actor.userName,
          })
          .returning('id')
          .executeTakeFirstOrThrow();
        await makeCurrent(db, teamId, id);
        await writeAudit(db, actor, { action: 'config.create', target: `config ${id}`, teamId });
        return id;
      }),

    apply: (teamId: string, id: string, actor: Actor): Promise<void> =>
      db.transaction().execute(async (db) => {
        await makeCurrent(db, teamId, id);
        await writeAudit(db, actor, { action: 'config.apply', target: `config ${id}`, teamId });
      }),
  };
}

const select = (db: Kysely<Tables>, teamId: string) =>
  db
    .selectFrom('configs')
    .leftJoin('current_configs', (join) =>
      join
        .onRef('current_configs.team_id', '=', 'configs.team_id')
        .onRef('current_configs.config_id', '=', 'configs.id'),
    )
    .selectAll('configs')
    .select(({ eb }) => eb('current_configs.config_id', 'is not', null).as('is_current'))
    .where('configs.team_id', '=', teamId)
    .$castTo<ConfigRow>();

async function makeCurrent(db: Kysely<Tables>, teamId: string, id: string): Promise<void> {
  await db
    .insertInto('current_configs')
    .values({ team_id: teamId, config_id: id })
    .onConflict((conflict) => conflict.column('team_id').doUpdateSet({ config_id: id, applied_at: new Date() }))
    .execute();
}
