import type { Command } from 'commander';
import type { z } from 'zod';
import { explanation, history, statistics, worstNodes } from '../qos/qos.schemas.ts';
import { parseWhole } from './arguments.ts';
import type { Answer } from './client.ts';
import { addClientOptions, type ClientOptions, clientFor } from './client-options.ts';
import { getTeam } from './lookup.ts';
import { print, printAnswer } from './output.ts';
import { type ComputeOptions, computeDays } from './qos-compute.ts';
import { addQosRulesCommand } from './qos-rules.ts';
import { describeExplanation, describeHistory, describeStatistics, describeWorst } from './qos-text.ts';
import { createLiveScreen } from './workflow-screen.ts';

type ShowOptions = ClientOptions & { start?: string; end?: string; watch?: boolean };

const watchEveryMs = 5000;
const dayOption = ['--day <day>', 'YYYY-MM-DD in UTC; the newest day with figures unless told'] as const;

export function addQosCommand(program: Command): void {
  const command = program.command('qos').description('quality of service: figures, causes, computations, rules');

  addClientOptions(command.command('show').description('figures of all labels, of one day by day, or of one node'))
    .argument('<team>', 'name or id')
    .argument('[label]', 'label')
    .argument('[node]', 'name of the node')
    .option('--start <day>', 'first day; thirty days before the last unless told')
    .option('--end <day>', 'last day; today unless told')
    .option('--watch', 'show it again when it changes, until Ctrl-C')
    .addHelpText(
      'after',
      `\nExamples:\n  faultline qos show shop\n  faultline qos show shop Website --start 2026-11-01`,
    )
    .action(show);

  addClientOptions(command.command('worst').description('the nodes of a label with the lowest figures'))
    .argument('<team>', 'name or id')
    .argument('<label>', 'label')
    .option(...dayOption)
    .option('--limit <count>', 'at most so many', parseWhole, 10)
    .addHelpText('after', '\nExample:\n  faultline qos worst shop Server --day 2026-11-14')
    .action(async (team: string, label: string, options: ClientOptions & { day?: string; limit: number }) => {
      const { day, limit } = options;
      printAnswer(
        await ask(team, '/qos/worst', { label, day, limit: String(limit) }, worstNodes, options),
        options,
        describeWorst,
      );
    });

  addClientOptions(command.command('explain').description('why a node has its figure, down to checks and seconds'))
    .argument('<team>', 'name or id')
    .argument('<label>', 'label of the node')
    .argument('<node>', 'name of the node')
    .option(...dayOption)
    .option('--depth <levels>', 'how deep', parseWhole, 6)
    .addHelpText('after', '\nExample:\n  faultline qos explain shop Website www --day 2026-11-14')
    .action(
      async (team: string, label: string, name: string, options: ClientOptions & { day?: string; depth: number }) => {
        const { day, depth } = options;
        const answer = await ask(
          team,
          '/qos/explain',
          { label, name, day, depth: String(depth) },
          explanation,
          options,
        );
        printAnswer(answer, options, (found) => `${found.day} (UTC)\n${describeExplanation(found.node)}`);
      },
    );

  addClientOptions(command.command('compute').description('compute a day again, or several; yesterday unless told'))
    .argument('<team>', 'name or id')
    .option('--day <day>', 'YYYY-MM-DD in UTC')
    .option('--start <day>', 'first day of several')
    .option('--end <day>', 'last day of several')
    .option('--labels <labels>', 'only these, with commas between them, and what they need')
    .option('--dry-run', 'show what would change, and change nothing')
    .option('--config <id or file>', 'try another configuration: the id of a version, or a JSON file')
    .option('--watch', 'wait until it is done, and show how it is getting on')
    .addHelpText('after', computeHelp)
    .action((team: string, options: ComputeOptions) => computeDays(team, options));

  addQosRulesCommand(command);
}

const computeHelp = `
Examples:
  faultline qos compute shop --watch
  faultline qos compute shop --start 2026-11-01 --end 2026-11-14
  faultline qos compute shop --day 2026-11-14 --config new.json --watch`;

async function ask<T>(
  team: string,
  path: string,
  query: Record<string, string | undefined>,
  schema: z.ZodType<T>,
  options: ClientOptions,
): Promise<Answer<T>> {
  const client = clientFor(options);
  const { id } = await getTeam(client, team);
  const given = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined) given.set(key, value);
  return client.get(`/v1/teams/${id}${path}?${given.toString()}`, schema);
}

async function show(team: string, label: string | undefined, name: string | undefined, options: ShowOptions) {
  const { start, end } = options;
  const look = async (): Promise<string> => {
    if (label === undefined) {
      const answer = await ask(team, '/statistics', { start, end }, statistics, options);
      return options.json ? JSON.stringify(answer.json, undefined, 2) : describeStatistics(answer.value);
    }
    const answer = await ask(team, '/qos', { label, name, start, end }, history, options);
    return options.json ? JSON.stringify(answer.json, undefined, 2) : describeHistory(answer.value);
  };
  if (!options.watch) return print(await look());
  const screen = process.stdout.isTTY && !options.json ? createLiveScreen(process.stdout) : undefined;
  for (let last = ''; ; ) {
    const next = await look();
    if (screen) screen.draw(next.split('\n').slice(0, Math.max(1, process.stdout.rows - 1)));
    else if (next !== last) print(next);
    last = next;
    await new Promise((resolve) => setTimeout(resolve, watchEveryMs));
  }
}
