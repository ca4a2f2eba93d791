import type { Command } from 'commander';
import type { z } from 'zod';
import { grants, team, teamList } from '../identity/identity.schemas.ts';
import { type GrantArgument, parseGrants } from './arguments.ts';
import { addClientOptions, type ClientOptions, clientFor } from './client-options.ts';
import { confirm } from './confirm.ts';
import { changeGrants } from './grants.ts';
import { getTeam } from './lookup.ts';
import { describeList, minute, printAnswer } from './output.ts';
import type { Column } from './table.ts';

const columns: Column<z.infer<typeof team>>[] = [
  { title: 'NAME', value: (team) => team.name },
  { title: 'CREATED (UTC)', value: (team) => minute(team.createdAt) },
  { title: 'ID', value: (team) => team.id },
];

const grantColumns: Column<GrantArgument>[] = [
  { title: 'USER', value: (grant) => grant.user },
  { title: 'ROLE', value: (grant) => grant.role },
];

export function addTeamCommand(program: Command): void {
  const command = program.command('team').description('list, create, rename and delete teams, and say who is in them');
  const nameOrId = 'name or id';

  addClientOptions(command.command('list').description('list the teams that you may see'))
    .addHelpText('after', '\nExample:\n  faultline team list')
    .action(async (options: ClientOptions) => {
      const answer = await clientFor(options).get('/v1/teams', teamList);
      printAnswer(answer, options, ({ teams }) => describeList(columns, teams, 'No teams that you may see.'));
    });

  addClientOptions(command.command('create').description('create a team'))
    .argument('<name>', 'the name, up to 255 characters')
    .addHelpText('after', '\nExample:\n  faultline team create shop')
    .action(async (name: string, options: ClientOptions) => {
      const answer = await clientFor(options).post('/v1/teams', team, { name });
      printAnswer(answer, options, (team) => `Created the team ${team.name} (${team.id}).`);
    });

  addClientOptions(command.command('rename').description('give a team another name; its id stays'))
    .argument('<team>', nameOrId)
    .argument('<new-name>', 'the name, up to 255 characters')
    .addHelpText('after', '\nExample:\n  faultline team rename shop store')
    .action(async (former: string, name: string, options: ClientOptions) => {
      const client = clientFor(options);
      const { id } = await getTeam(client, former);
      const answer = await client.patch(`/v1/teams/${id}`, team, { name });
      printAnswer(answer, options, (team) => `The team is now called ${team.name} (${team.id}).`);
    });

  addClientOptions(command.command('delete').description('delete a team and everything it owns'))
    .argument('<team>', nameOrId)
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', '\nExample:\n  faultline team delete shop --yes')
    .action(async (name: string, options: ClientOptions & { yes?: boolean }) => {
      const client = clientFor(options);
      const found = await getTeam(client, name);
      if (!options.yes) await confirm(`Delete the team ${found.name} and everything it owns?`);
      const answer = await client.delete(`/v1/teams/${found.id}`);
      printAnswer(answer, options, () => `Deleted the team ${found.name}.`);
    });

  addClientOptions(command.command('grants').description('show who may do what in a team, or change it'))
    .argument('<team>', nameOrId)
    .option('--set <user=role>', 'give a user a role: member, editor, manager (repeatable)', parseGrants)
    .option('--remove <user>', 'take a user out (repeatable)', collect)
    .option('--replace', 'what --set says is all there is: everybody else goes')
    .addHelpText('after', grantsExamples)
    .action(showOrChangeGrants);
}

/** An option that may be given several times; at first there is no former value. */
const collect = (name: string, former: string[] | undefined): string[] => [...(former ?? []), name];

const grantsExamples = `
Roles:
  member   reads
  editor   also writes graph data and rules
  manager  also deletes nodes, changes the configuration and the grants

Examples:
  faultline team grants shop
  faultline team grants shop --set ann=manager --set bob=member --remove eve
  faultline team grants shop --replace --set ann=manager`;

async function showOrChangeGrants(
  name: string,
  options: ClientOptions & { set?: GrantArgument[]; remove?: string[]; replace?: boolean },
): Promise<void> {
  const client = clientFor(options);
  const { id } = await getTeam(client, name);
  const path = `/v1/teams/${id}/grants`;
  const former = await client.get(path, grants);
  const wanted = changeGrants(former.value.grants, options);
  const answer = wanted ? await client.put(path, grants, { grants: wanted }) : former;
  printAnswer(answer, options, (value) => describeList(grantColumns, value.grants, 'Nobody but administrators.'));
}
