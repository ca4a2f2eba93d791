import { badRequest, notFound } from '../errors.ts';
import type { Actor } from '../identity/access.ts';
import { type IntegrationsService, shownConfig } from '../platform/integrations/integrations.service.ts';
import type { MetricSourceRow, MetricSourcesService } from '../platform/integrations/metric-sources.service.ts';
import type { ChecksStore } from './checks.store.ts';
import { refuseMissingVariables } from './needed-variables.ts';
import type { Variables } from './query-template.ts';
import type { SourcesStore } from './sources.store.ts';

export type SourcesService = ReturnType<typeof createSourcesService>;
type SourceRow = MetricSourceRow & { variables: Variables };
type Config = Parameters<IntegrationsService['create']>[1]['config'];

/** Integrations that measurements come from, with variables. */
export function createSourcesService(deps: {
  store: SourcesStore;
  checks: Pick<ChecksStore, 'listOf'>;
  integrations: Pick<IntegrationsService, 'create' | 'update' | 'delete'>;
  metricSources: MetricSourcesService;
}) {
  const { store, checks, integrations, metricSources } = deps;

  async function list(teamId: string): Promise<SourceRow[]> {
    const [rows, variables] = await Promise.all([metricSources.list(teamId), store.listVariables(teamId)]);
    return rows.map((row) => ({ ...row, variables: variables.get(row.id) ?? {} }));
  }

  async function find(teamId: string, idOrName: string): Promise<SourceRow | undefined> {
    const rows = await list(teamId);
    return rows.find(({ id }) => id === idOrName) ?? rows.find(({ name }) => name === idOrName);
  }

  async function get(teamId: string, id: string): Promise<SourceRow> {
    const row = (await list(teamId)).find((one) => one.id === id);
    if (!row) throw unknownSource();
    return row;
  }

  return {
    list,
    find,
    get,

    async create(
      teamId: string,
      given: { name: string; model: string; config: Config; variables: Variables },
      actor: Actor,
    ): Promise<SourceRow> {
      if (!(await metricSources.isSourceModel(given.model))) {
        throw badRequest('Measurements do not come from this model; GET /integration/models lists them.', [
          { path: 'model', message: 'must be a model with the capability "metrics"' },
        ]);
      }
      const { name, model, config, variables } = given;
      const { id } = await integrations.create(teamId, { name, model, config }, actor);
      if (Object.keys(variables).length > 0) await store.writeVariables(teamId, id, variables, actor);
      return get(teamId, id);
    },

    /** What is left out stays. */
    async update(
      teamId: string,
      id: string,
      given: { name?: string; model?: string; config?: Config; variables?: Variables },
      actor: Actor,
    ): Promise<SourceRow> {
      const former = await get(teamId, id);
      const { variables, ...rest } = given;
      if (variables)
        refuseMissingVariables(await checks.listOf(teamId, { sourceId: id }), { source: variables }, 'variables');
      // As it is shown, it keeps its passwords.
      await integrations.update(teamId, id, { ...rest, config: rest.config ?? shownConfig(former) }, actor);
      if (variables) await store.writeVariables(teamId, id, variables, actor);
      return get(teamId, id);
    },

    async delete(teamId: string, id: string, actor: Actor): Promise<void> {
      await get(teamId, id);
      await integrations.delete(teamId, id, actor);
    },
  };
}

const unknownSource = () => notFound('There is no such source; GET …/sources lists them.');
