import { protocolsOf } from './drivers.ts';
import type { IntegrationsService } from './integrations.service.ts';
import type { IntegrationRow } from './integrations.store.ts';
import type { ModelsService } from './models.service.ts';

/** An integration that measurements come from. */
export type MetricSourceRow = IntegrationRow & {
  /** Which built-in model speaks for it; `push`: measurements are posted, not fetched. */
  protocol: string | undefined;
};

export type MetricSourcesService = ReturnType<typeof createMetricSources>;

/** Those of a team's integrations whose model is for measurements. */
export function createMetricSources(deps: { integrations: Pick<IntegrationsService, 'list'>; models: ModelsService }) {
  /** By name. */
  async function list(teamId: string): Promise<MetricSourceRow[]> {
    const [rows, models] = await Promise.all([deps.integrations.list(teamId), deps.models.list()]);
    const byName = new Map(models.map((model) => [model.name, model]));
    return rows.flatMap((row) => {
      const model = byName.get(row.model);
      return model?.capabilities.includes('metrics') ? [{ ...row, protocol: protocolsOf(model)[0] }] : [];
    });
  }

  return {
    list,

    async find(teamId: string, idOrName: string): Promise<MetricSourceRow | undefined> {
      const rows = await list(teamId);
      return rows.find(({ id }) => id === idOrName) ?? rows.find(({ name }) => name === idOrName);
    },

    async isSourceModel(name: string): Promise<boolean> {
      return (await deps.models.find(name))?.capabilities.includes('metrics') ?? false;
    },
  };
}
