import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { writeAudit } from '../../db/audit.ts';
import type { Tables } from '../../db/tables.ts';
import type { Actor } from '../../identity/access.ts';
import type { ModelDefinition } from './model-definition.ts';

/** Without a definition: what administrators decided about a built-in model. */
export type ModelRow = { name: string; is_disabled: boolean; definition: ModelDefinition | null };

export type ModelsStore = ReturnType<typeof createModelsStore>;

export function createModelsStore(db: Kysely<Tables>) {
  return {
    list: (): Promise<ModelRow[]> => select(db).orderBy('name').execute(),

    find: (name: string): Promise<ModelRow | undefined> => select(db).where('name', '=', name).executeTakeFirst(),

    create: (
      name: string,
      definition: ModelDefinition,
      { isDisabled, limit }: { isDisabled: boolean; limit: number },
      actor: Actor,
    ): Promise<'created' | 'taken' | 'full'> =>
      db.transaction().execute(async (db) => {
        const { count } = await db
          .selectFrom('integration_models')
          .select(({ fn }) => fn.countAll<string>().as('count'))
          .executeTakeFirstOrThrow();
        if (Number(count) >= limit) return 'full';
        const created = await db
          .insertInto('integration_models')
          .values({ name, is_disabled: isDisabled, definition: JSON.stringify(definition) })
          .onConflict((conflict) => conflict.doNothing())
          .returning('name')
          .executeTakeFirst();
        if (!created) return 'taken';
        await writeAudit(db, actor, { action: 'integration_model.create', target: `integration model ${name}` });
        return 'created';
      }),

    /** The switch alone. A built-in model gets its row by it; any other must be there. */
    setDisabled: (name: string, isDisabled: boolean, isBuiltIn: boolean, actor: Actor): Promise<boolean> =>
      db.transaction().execute(async (db) => {
        if (isBuiltIn) {
          const none = { name, definition: null };
          await db
            .insertInto('integration_models')
            .values(none)
            .onConflict((on) => on.doNothing())
            .execute();
        }
        const changed = await db
          .updateTable('integration_models')
          .set({ is_disabled: isDisabled, updated_at: sql<Date>`clock_timestamp()` })
          .where('name', '=', name)
          .returning('name')
          .executeTakeFirst();
        if (!changed) return false;
        await writeAudit(db, actor, {
          action: 'integration_model.update',
          target: `integration model ${name}`,
          details: { disabled: isDisabled },
        });
        return true;
      }),

    /** `mayReplace` decides with the row locked, and with whether integrations use it. */
    replace: (
      name: string,
      change: { definition: ModelDefinition; isDisabled: boolean },
      mayReplace: (former: ModelRow, isUsed: boolean) => boolean,
      actor: Actor,
    ): Promise<'replaced' | 'absent' | 'refused'> =>
      db.transaction().execute(async (db) => {
        const former = await select(db).where('name', '=', name).forUpdate().executeTakeFirst();
        if (!former) return 'absent';
        if (!mayReplace(former, await isUsed(db, name))) return 'refused';
        await db
          .updateTable('integration_models')
          .set({
            definition: JSON.stringify(change.definition),
            is_disabled: change.isDisabled,
            updated_at: sql<Date>`clock_timestamp()`,
          })
          .where('name', '=', name)
          .execute();
        await writeAudit(db, actor, {
          action: 'integration_model.update',
          target: `integration model ${name}`,
          details: { disabled: change.isDisabled },
        });
        return 'replaced';
      }),

    delete: (name: string, actor: Actor): Promise<'deleted' | 'absent' | 'used'> =>
      db.transaction().execute(async (db) => {
        // Locked first: an integration that is being made now holds the row until it is there to be seen.
        const row = await select(db).where('name', '=', name).forUpdate().executeTakeFirst();
        if (!row) return 'absent';
        if (await isUsed(db, name)) return 'used';
        await db.deleteFrom('integration_models').where('name', '=', name).execute();
        await writeAudit(db, actor, { action: 'integration_model.delete', target: `integration model ${name}` });
        return 'deleted';
      }),
  };
}

const select = (db: Kysely<Tables>) =>
  db.selectFrom('integration_models').select(['name', 'is_disabled', 'definition']).$castTo<ModelRow>();

const isUsed = async (db: Kysely<Tables>, name: string): Promise<boolean> =>
  (await db.selectFrom('integrations').select('id').where('model', '=', name).limit(1).executeTakeFirst()) !==
  undefined;
