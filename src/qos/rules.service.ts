import { badRequest, conflict, notFound } from '../errors.ts';
import type { Actor } from '../identity/access.ts';
import type { ChecksStore } from './checks.store.ts';
import type { TeamConfig } from './config-check.ts';
import { refuseMissingVariables } from './needed-variables.ts';
import { parseQuery } from './query.ts';
import type { RuleContent, RuleRow, RulesStore } from './rules.store.ts';

export type RulesService = ReturnType<typeof createRulesService>;

/** Rules: checks that must all be good. Labels name them in the team's configuration. */
export function createRulesService(deps: {
  store: RulesStore;
  checks: Pick<ChecksStore, 'listOf'>;
  findCurrentConfig: (teamId: string) => Promise<TeamConfig | undefined>;
}) {
  const { store, checks } = deps;

  async function get(teamId: string, id: string): Promise<RuleRow> {
    const row = await store.find(teamId, id);
    if (!row) throw unknownRule();
    return row;
  }

  /** Labels of the current configuration, by the rule that they name. */
  async function labelsByRule(teamId: string): Promise<Map<string, string[]>> {
    const labels = new Map<string, string[]>();
    for (const [label, { qos }] of Object.entries((await deps.findCurrentConfig(teamId)) ?? {})) {
      const parsed = parseQuery(qos);
      if (!('query' in parsed) || parsed.query.kind !== 'rule') continue;
      labels.set(parsed.query.name, [...(labels.get(parsed.query.name) ?? []), label]);
    }
    return labels;
  }

  async function refuseUsed(teamId: string, name: string, what: string): Promise<void> {
    const labels = (await labelsByRule(teamId)).get(name);
    if (!labels) return;
    throw conflict(
      `The current configuration uses the rule "${name}" for ${labels.join(', ')}, so it cannot be ${what}; change the configuration first.`,
    );
  }

  return {
    list: (teamId: string) => store.list(teamId),
    listNames: (teamId: string) => store.listNames(teamId),
    get,
    labelsByRule,

    create: async (teamId: string, content: RuleContent, actor: Actor): Promise<RuleRow> =>
      get(teamId, await store.create(teamId, content, actor)),

    /** What is left out stays. */
    async update(teamId: string, id: string, given: Partial<RuleContent>, actor: Actor): Promise<RuleRow> {
      const former = await get(teamId, id);
      const { name, description, variables } = { ...former, ...given };
      if (name !== former.name) await refuseUsed(teamId, former.name, 'renamed');
      refuseMissingVariables(await checks.listOf(teamId, { ruleId: id }), { rule: variables }, 'variables');
      await store.update(teamId, id, { name, description, variables }, actor);
      return get(teamId, id);
    },

    async setChecks(teamId: string, id: string, idsOrNames: string[], actor: Actor): Promise<RuleRow> {
      const { variables } = await get(teamId, id);
      const found = await checks.listOf(teamId, { idsOrNames: idsOrNames.map(storable) });
      const chosen = idsOrNames.map(
        (wanted) => found.find((one) => one.id === wanted.toLowerCase()) ?? found.find((one) => one.name === wanted),
      );
      const details = chosen.flatMap((one, index) =>
        one ? [] : [{ path: `checks.${index}`, message: 'is neither the id nor the name of a check of this team' }],
      );
      if (details.length > 0) throw badRequest('There is no such check; GET …/checks lists them.', details);
      const rows = chosen.filter((one) => one !== undefined);
      refuseMissingVariables(rows, { rule: variables }, 'checks');
      await store.setChecks(teamId, id, [...new Set(rows.map((one) => one.id))], actor);
      return get(teamId, id);
    },

    async delete(teamId: string, id: string, actor: Actor): Promise<void> {
      const { name } = await get(teamId, id);
      await refuseUsed(teamId, name, 'deleted');
      if (!(await store.delete(teamId, id, actor))) throw unknownRule();
    },
  };
}

/** The database takes no text with a zero in it, nor halves of surrogate pairs; no name has them. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd');

const unknownRule = () => notFound('There is no such rule; GET …/rules lists them.');
