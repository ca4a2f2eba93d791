import type { Command } from 'commander';
import type { z } from 'zod';
import { type check, checkList, ruleList } from '../qos/qos-settings.schemas.ts';
import { addClientOptions, type ClientOptions, clientFor } from './client-options.ts';
import { getTeam } from './lookup.ts';
import { describeList, print } from './output.ts';

type Line = { rule: string; check: z.infer<typeof check> | undefined };

/** One line for each check of each rule. */
export function addQosRulesCommand(command: Command): void {
  addClientOptions(command.command('rules').description('the rules of a team and their checks'))
    .argument('<team>', 'name or id')
    .addHelpText('after', '\nExample:\n  faultline qos rules shop')
    .action(async (team: string, options: ClientOptions) => {
      const client = clientFor(options);
      const { id } = await getTeam(client, team);
      const { value, json } = await client.get(`/v1/teams/${id}/rules`, ruleList);
      if (options.json) return print(JSON.stringify(json, undefined, 2));
      const { checks } = (await client.get(`/v1/teams/${id}/checks`, checkList)).value;
      const known = new Map(checks.map((one) => [one.id, one]));
      const lines = value.rules.flatMap((rule): Line[] =>
        rule.checks.length === 0
          ? [{ rule: rule.name, check: undefined }]
          : rule.checks.map((one) => ({ rule: rule.name, check: known.get(one.id) })),
      );
      print(
        describeList(
          [
            { title: 'RULE', value: ({ rule }) => rule },
            { title: 'CHECK', value: (line) => line.check?.name ?? '-' },
            { title: 'SOURCE', value: (line) => line.check?.source_name ?? '-' },
            { title: 'GOOD', value: (line) => (line.check ? goodOf(line.check.threshold) : '-') },
            { title: 'QUERY', value: (line) => line.check?.query || '-' },
          ],
          lines,
          'No rules.',
        ),
      );
    });
}

const goodOf = (threshold: number | string): string =>
  typeof threshold === 'number' ? `at most ${threshold}` : threshold;
