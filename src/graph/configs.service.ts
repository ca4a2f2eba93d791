import { badRequest, notFound } from '../errors.ts';
import type { Actor } from '../identity/access.ts';
import { checkConfig, type TeamConfig } from '../qos/config-check.ts';
import type { ConfigRow, ConfigsStore } from './configs.store.ts';

export type ConfigsService = ReturnType<typeof createConfigsService>;

export function createConfigsService(deps: {
  store: ConfigsStore;
  listGraphLabels: (teamId: string) => Promise<string[]>;
  listRuleNames: (teamId: string) => Promise<string[]>;
}) {
  const { store, listGraphLabels, listRuleNames } = deps;

  async function get(teamId: string, id: string): Promise<ConfigRow> {
    const row = await store.find(teamId, id);
    if (!row) throw notFound('There is no such configuration; GET …/configs lists them.');
    return row;
  }

  async function refuseFaulty(teamId: string, config: TeamConfig): Promise<void> {
    const [labels, rules] = await Promise.all([listGraphLabels(teamId), listRuleNames(teamId)]);
    const faults = checkConfig(config, { graphLabels: new Set(labels), rules: new Set(rules) });
    if (faults.length === 0) return;
    const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
    throw badRequest(`The configuration cannot be used: ${faults[0].path}, ${faults[0].message}${more}.`, faults);
  }

  return {
    list: (teamId: string) => store.list(teamId),
    get,
    /** Throws what `create` would throw. */
    refuseFaulty,
    findCurrent: (teamId: string) => store.findCurrent(teamId),

    async getCurrent(teamId: string): Promise<ConfigRow> {
      const row = await store.findCurrent(teamId);
      if (!row) throw notFound('The team has no configuration yet; POST …/configs makes one.');
      return row;
    },

    async create(teamId: string, config: TeamConfig, actor: Actor): Promise<ConfigRow> {
      await refuseFaulty(teamId, config);
      return get(teamId, await store.create(teamId, config, actor));
    },

    /** An older version is checked again: the graph may have lost labels since. */
    async apply(teamId: string, id: string, actor: Actor): Promise<ConfigRow> {
      const row = await get(teamId, id);
      await refuseFaulty(teamId, row.config);
      await store.apply(teamId, id, actor);
      return get(teamId, id);
    },
  };
}
