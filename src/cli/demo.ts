import type { Command } from 'commander';
import type { LoadedDemo } from '../demo/demo.service.ts';
import { addClientOptions, type ClientOptions, clientFor } from './client-options.ts';
import { print } from './output.ts';

export function addDemoCommand(program: Command): void {
  addClientOptions(program.command('demo').description('load an example team: a shop, its estate, a week of figures'))
    .option('--team <name>', 'what the team is called', 'demo')
    .option('--again', 'the team is there: bring it up to today; nothing in it is deleted')
    .addHelpText('after', '\nExamples:\n  faultline demo\n  faultline demo --team training\n  faultline demo --again')
    .action(load);
}

async function load(options: ClientOptions & { team: string; again?: boolean }): Promise<void> {
  const { loadDemo } = await import('../demo/demo.service.ts');
  const { stderr } = process;
  const say = (text: string) => void (stderr.isTTY && stderr.write(`\r\x1b[K${text}`));
  const loaded = await loadDemo({
    client: clientFor(options),
    teamName: options.team,
    isAgain: options.again ?? false,
    clock: Date.now,
    say: (what) => say(`loading ${what} …`),
  }).finally(() => say(''));
  print(options.json ? JSON.stringify(loaded, undefined, 2) : describe(loaded));
}

const describe = ({ team, days, badDay }: LoadedDemo): string =>
  [
    `Loaded the team ${team.name} (${team.id}) with figures from ${days[0]} to ${days.at(-1)}.`,
    `On ${badDay} something went wrong; see why:`,
    `  faultline qos explain ${JSON.stringify(team.name)} Offer Checkout --day ${badDay}`,
  ].join('\n');
