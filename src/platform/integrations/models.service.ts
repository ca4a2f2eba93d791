import { badRequest, conflict, notFound } from '../../errors.ts';
import type { Actor } from '../../identity/access.ts';
import { passwordKeys } from './config-values.ts';
import { defineModel } from './model-definition.ts';
import type { IntegrationModel, ModelChange, NewModel } from './models.schemas.ts';
import type { ModelRow, ModelsStore } from './models.store.ts';

export type ModelsService = ReturnType<typeof createModelsService>;

const mostModels = 500;

/** The models that the code brings, and those that administrators added. */
export function createModelsService(deps: { store: ModelsStore; builtIn: readonly IntegrationModel[] }) {
  const { store } = deps;
  const builtIn = new Map(deps.builtIn.map((model) => [model.name, model]));

  async function find(name: string): Promise<IntegrationModel | undefined> {
    const known = builtIn.get(name);
    // Whatever else it is, it is no name, and perhaps nothing that the database takes as text.
    if (!known && !/^[a-z][a-z0-9-]{0,62}$/.test(name)) return undefined;
    const row = await store.find(name);
    if (known) return { ...known, disabled: row?.is_disabled ?? false };
    return row && fromRow(row);
  }

  async function get(name: string): Promise<IntegrationModel> {
    const model = await find(name);
    if (!model) throw unknownModel();
    return model;
  }

  function refuseBuiltIn(name: string, advice: string): void {
    if (builtIn.has(name)) throw conflict(`The model "${name}" is built in and cannot be changed; ${advice}.`);
  }

  return {
    find,
    get,

    /** Sorted by name. */
    async list(): Promise<IntegrationModel[]> {
      const rows = await store.list();
      const disabled = new Set(rows.filter((row) => row.is_disabled).map(({ name }) => name));
      const ours = [...builtIn.values()].map((model) => ({ ...model, disabled: disabled.has(model.name) }));
      const theirs = rows.filter(({ name }) => !builtIn.has(name)).flatMap((row) => fromRow(row) ?? []);
      return [...ours, ...theirs].toSorted((a, b) => (a.name < b.name ? -1 : 1));
    },

    async create(given: NewModel, actor: Actor): Promise<IntegrationModel> {
      const { name, disabled } = given;
      refuseBuiltIn(name, 'choose another name');
      const definition = defineModel(name, given);
      const outcome = await store.create(name, definition, { isDisabled: disabled, limit: mostModels }, actor);
      if (outcome === 'taken') throw conflict(`There is a model "${name}" already; change it with PUT.`);
      if (outcome === 'full') throw conflict(`There are ${mostModels} models already; delete some first.`);
      return get(name);
    },

    async change(name: string, given: ModelChange, actor: Actor): Promise<IntegrationModel> {
      await get(name);
      if (!('default_config' in given)) {
        if (!(await store.setDisabled(name, given.disabled, builtIn.has(name), actor))) throw unknownModel();
        return get(name);
      }
      refuseBuiltIn(name, 'send {"disabled": true} to switch it off');
      if (given.name !== undefined && given.name !== name) {
        throw badRequest('A model keeps its name; create another one instead.', [
          { path: 'name', message: `must be "${name}", or left out` },
        ]);
      }
      const definition = defineModel(name, given);
      const isSafe = (former: ModelRow, isUsed: boolean) =>
        !isUsed || samePasswords(former.definition?.default_config ?? {}, definition.default_config);
      const outcome = await store.replace(name, { definition, isDisabled: given.disabled }, isSafe, actor);
      if (outcome === 'absent') throw unknownModel();
      if (outcome === 'refused') {
        throw conflict(
          'Integrations use this model, so which of its settings are passwords cannot change; make another model.',
        );
      }
      return get(name);
    },

    async delete(name: string, actor: Actor): Promise<void> {
      await get(name);
      refuseBuiltIn(name, 'send {"disabled": true} with PUT to switch it off');
      const outcome = await store.delete(name, actor);
      if (outcome === 'absent') throw unknownModel();
      if (outcome === 'used')
        throw conflict('Integrations use this model; delete them first, or switch the model off.');
    },
  };
}

function fromRow({ name, is_disabled, definition }: ModelRow): IntegrationModel | undefined {
  return definition ? { ...definition, name, builtin: false, disabled: is_disabled } : undefined;
}

/** Else stored clear text would become a password that is not encrypted, or the reverse. */
const samePasswords = (one: IntegrationModel['default_config'], other: IntegrationModel['default_config']): boolean =>
  passwordKeys(one).toSorted().join() === passwordKeys(other).toSorted().join();

const unknownModel = () => notFound('There is no such integration model; GET /integration/models lists them.');
