import type { Actor } from '../identity/access.ts';
import type { ChecksStore } from './checks.store.ts';
import { refuseMissingVariables } from './needed-variables.ts';
import type { QosSettings, SettingsStore } from './settings.store.ts';

export type SettingsService = ReturnType<typeof createSettingsService>;

/** What holds for all rules of a team. */
export function createSettingsService(deps: { store: SettingsStore; checks: Pick<ChecksStore, 'list'> }) {
  const { store } = deps;
  return {
    get: (teamId: string): Promise<QosSettings> => store.get(teamId),

    /** What is left out stays. */
    async update(teamId: string, given: Partial<QosSettings>, actor: Actor): Promise<QosSettings> {
      const settings = { ...(await store.get(teamId)), ...given };
      refuseMissingVariables(await deps.checks.list(teamId), { team: settings.variables }, 'variables');
      await store.write(teamId, settings, actor);
      return settings;
    },
  };
}
