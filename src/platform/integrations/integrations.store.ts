import type { Kysely, Selectable } from 'kysely';
import { sql } from 'kysely';
import { writeAudit } from '../../db/audit.ts';
import { isForeignKeyViolation, isUniqueViolation } from '../../db/errors.ts';
import type { Tables } from '../../db/tables.ts';
import type { Actor } from '../../identity/access.ts';
import type { ConfigValues } from './config-values.ts';

export type IntegrationRow = Selectable<Tables['integrations']>;
/** `secrets` are sealed. */
export type IntegrationContent = { name: string; config: ConfigValues; secrets: Record<string, string> };

export type IntegrationsStore = ReturnType<typeof createIntegrationsStore>;

/** Audit entries name what was changed, never its values. */
export function createIntegrationsStore(db: Kysely<Tables>) {
  return {
    list: (teamId: string): Promise<IntegrationRow[]> =>
      db.selectFrom('integrations').selectAll().where('team_id', '=', teamId).orderBy('name').orderBy('id').execute(),

    find: (teamId: string, id: string): Promise<IntegrationRow | undefined> => find(db, teamId, id).executeTakeFirst(),

    findByName: (teamId: string, name: string): Promise<IntegrationRow | undefined> =>
      db
        .selectFrom('integrations')
        .selectAll()
        .where('team_id', '=', teamId)
        .where('name', '=', name)
        .executeTakeFirst(),

    async create(
      teamId: string,
      model: { name: string; isBuiltIn: boolean },
      content: IntegrationContent,
      limit: number,
      actor: Actor,
    ): Promise<IntegrationRow | 'taken' | 'full' | 'no model' | 'no team'> {
      const run = db.transaction().execute(async (db) => {
        const { count } = await db
          .selectFrom('integrations')
          .select(({ fn }) => fn.countAll<string>().as('count'))
          .where('team_id', '=', teamId)
          .executeTakeFirstOrThrow();
        if (Number(count) >= limit) return 'full';
        // Held until we are done, so that nobody deletes the model meanwhile.
        const isThere =
          model.isBuiltIn ||
          (await db
            .selectFrom('integration_models')
            .select('name')
            .where('name', '=', model.name)
            .forShare()
            .executeTakeFirst());
        if (!isThere) return 'no model';
        const row = await db
          .insertInto('integrations')
          .values({ team_id: teamId, model: model.name, ...written(content), created_by: actor.userName })
          .returningAll()
          .executeTakeFirstOrThrow();
        await writeAudit(db, actor, {
          action: 'integration.create',
          target: `integration ${row.id}`,
          teamId,
          details: { name: row.name, model: row.model, settings: settingsOf(content) },
        });
        return row;
      });
      return run.catch((error: unknown) => {
        if (isUniqueViolation(error)) return 'taken';
        if (isForeignKeyViolation(error)) return 'no team';
        throw error;
      });
    },

    /** `decide` sees the row as it is while nobody else can change it. */
    async update(
      teamId: string,
      id: string,
      decide: (former: IntegrationRow) => IntegrationContent,
      actor: Actor,
    ): Promise<IntegrationRow | undefined | 'taken'> {
      const run = db.transaction().execute(async (db) => {
        const former = await find(db, teamId, id).forUpdate().executeTakeFirst();
        if (!former) return undefined;
        const content = decide(former);
        const row = await db
          .updateTable('integrations')
          .set({ ...written(content), updated_at: sql<Date>`clock_timestamp()` })
          .where('team_id', '=', teamId)
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirstOrThrow();
        await writeAudit(db, actor, {
          action: 'integration.update',
          target: `integration ${id}`,
          teamId,
          details: { name: row.name, model: row.model, settings: settingsOf(content) },
        });
        return row;
      });
      return run.catch((error: unknown) => {
        if (isUniqueViolation(error)) return 'taken';
        throw error;
      });
    },

    delete: (teamId: string, id: string, actor: Actor): Promise<'deleted' | 'absent' | 'used'> =>
      db
        .transaction()
        .execute(async (db) => {
          const gone = await db
            .deleteFrom('integrations')
            .where('team_id', '=', teamId)
            .where('id', '=', id)
            .returning(['name', 'model'])
            .executeTakeFirst();
          if (!gone) return 'absent';
          await writeAudit(db, actor, {
            action: 'integration.delete',
            target: `integration ${id}`,
            teamId,
            details: { name: gone.name, model: gone.model },
          });
          return 'deleted';
        })
        .catch((error: unknown) => {
          if (isForeignKeyViolation(error)) return 'used';
          throw error;
        }),
  };
}

const find = (db: Kysely<Tables>, teamId: string, id: string) =>
  db.selectFrom('integrations').selectAll().where('team_id', '=', teamId).where('id', '=', id);

const written = ({ name, config, secrets }: IntegrationContent) => ({
  name,
  config: JSON.stringify(config),
  secrets: JSON.stringify(secrets),
});

const settingsOf = ({ config, secrets }: IntegrationContent): string[] =>
  [...Object.keys(config), ...Object.keys(secrets)].toSorted();
