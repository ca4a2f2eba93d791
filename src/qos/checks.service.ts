import { badRequest, conflict, notFound } from '../errors.ts';
import type { Actor } from '../identity/access.ts';
import type { CheckContent, CheckRow, ChecksStore } from './checks.store.ts';
import { refuseMissingVariables } from './needed-variables.ts';
import { parseTemplate } from './query-template.ts';
import type { RulesService } from './rules.service.ts';
import type { SettingsService } from './settings.service.ts';
import type { SourcesService } from './sources.service.ts';

export type ChecksService = ReturnType<typeof createChecksService>;
/** `source` is an id or a name. */
export type GivenCheck = Omit<CheckContent, 'source_id'> & { source: string };

export function createChecksService(deps: {
  store: ChecksStore;
  settings: Pick<SettingsService, 'get'>;
  sources: Pick<SourcesService, 'find'>;
  rules: Pick<RulesService, 'list' | 'labelsByRule'>;
}) {
  const { store, settings, sources, rules } = deps;

  async function get(teamId: string, id: string): Promise<CheckRow> {
    const row = await store.find(teamId, id);
    if (!row) throw unknownCheck();
    return row;
  }

  /** What to write; refuses what could not run. `usedBy` are ids of rules. */
  async function contentOf(teamId: string, { source, ...rest }: GivenCheck, usedBy: string[]): Promise<CheckContent> {
    const found = await sources.find(teamId, source);
    if (!found)
      throw refused('source', 'is neither the id nor the name of a source of this team; GET …/sources lists them');
    if (found.protocol === 'push' && rest.query !== '')
      throw refused('query', 'must be left out: measurements of this source are posted, not asked for');
    if (found.protocol !== 'push' && rest.query.trim() === '') throw refused('query', 'must be given for this source');
    const parsed = parseTemplate(rest.query);
    if ('fault' in parsed) throw refused('query', parsed.fault);
    const { variables: team } = await settings.get(teamId);
    refuseMissingVariables([rest], { team, source: found.variables, check: rest.variables }, 'query');
    for (const rule of usedBy.length === 0 ? [] : await rules.list(teamId)) {
      if (usedBy.includes(rule.id)) refuseMissingVariables([rest], { rule: rule.variables }, 'query');
    }
    return { ...rest, source_id: found.id };
  }

  return {
    list: (teamId: string) => store.list(teamId),
    get,

    listNamesOfSource: async (teamId: string, sourceId: string): Promise<string[]> =>
      (await store.listOf(teamId, { sourceId })).map(({ name }) => name),

    async create(teamId: string, given: GivenCheck, actor: Actor): Promise<CheckRow> {
      return get(teamId, await store.create(teamId, await contentOf(teamId, given, []), actor));
    },

    /** What is left out stays. */
    async update(teamId: string, id: string, given: Partial<GivenCheck>, actor: Actor): Promise<CheckRow> {
      const { name, description, source_id, query, low, high, is_filled, variables, ...former } = await get(teamId, id);
      const before = { name, description, source: source_id, query, low, high, is_filled, variables };
      const usedBy = former.rules.map((rule) => rule.id);
      await store.update(teamId, id, await contentOf(teamId, { ...before, ...given }, usedBy), actor);
      return get(teamId, id);
    },

    /** With it go its measurements, and its place in rules that no label uses. */
    async delete(teamId: string, id: string, actor: Actor): Promise<void> {
      const { name, rules: partOf } = await get(teamId, id);
      const labels = await rules.labelsByRule(teamId);
      const used = partOf.filter((rule) => labels.has(rule.name));
      if (used.length > 0) {
        const users = used.map((rule) => `"${rule.name}" (${labels.get(rule.name)?.join(', ')})`).join(', ');
        throw conflict(
          `The check "${name}" is part of rules that the current configuration uses: ${users}; take it out of them first.`,
        );
      }
      if (!(await store.delete(teamId, id, actor))) throw unknownCheck();
    },
  };
}

const refused = (path: string, message: string) =>
  badRequest(`The check cannot be used: ${path} ${message}.`, [{ path, message }]);
const unknownCheck = () => notFound('There is no such check; GET …/checks lists them.');
