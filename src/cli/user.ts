import type { Command } from 'commander';
import type { z } from 'zod';
import { administeredUser, type user, userList } from '../identity/identity.schemas.ts';
import { addClientOptions, type ClientOptions, clientFor } from './client-options.ts';
import { getUser } from './lookup.ts';
import { describeList, minute, printAnswer } from './output.ts';
import type { Column } from './table.ts';

type User = z.infer<typeof user>;
type AdministeredUser = z.infer<typeof administeredUser>;

const columns: Column<User>[] = [
  { title: 'NAME', value: (user) => user.name },
  { title: 'CREATED (UTC)', value: (user) => minute(user.createdAt) },
  { title: 'ID', value: (user) => user.id },
];

export function addUserCommand(program: Command): void {
  const command = program.command('user').description('list, create, disable and promote users');
  const nameOrId = 'name or id';

  addClientOptions(command.command('list').description('list the users'))
    .addHelpText('after', '\nExample:\n  faultline user list --json')
    .action(async (options: ClientOptions) => {
      const answer = await clientFor(options).get('/v1/users', userList);
      printAnswer(answer, options, ({ users }) => describeList(columns, users, 'No users.'));
    });

  addClientOptions(command.command('create').description('create a user; then give it a token and grants'))
    .argument('<name>', 'the name, up to 255 characters')
    .option('--admin', 'make it an administrator')
    .addHelpText('after', createExamples)
    .action(async (name: string, options: ClientOptions & { admin?: boolean }) => {
      const answer = await clientFor(options).post('/v1/users', administeredUser, { name, admin: options.admin });
      printAnswer(answer, options, (user) => `Created ${describe(user)}.`);
    });

  addClientOptions(command.command('disable').description('disable a user: all its tokens are refused at once'))
    .argument('<user>', nameOrId)
    .addHelpText('after', '\nExample:\n  faultline user disable ann')
    .action((name: string, options: ClientOptions) => change(name, { disabled: true }, options));

  addClientOptions(command.command('enable').description('enable a user again'))
    .argument('<user>', nameOrId)
    .addHelpText('after', '\nExample:\n  faultline user enable ann')
    .action((name: string, options: ClientOptions) => change(name, { disabled: false }, options));

  addClientOptions(command.command('admin').description('make a user an administrator, or an ordinary one again'))
    .argument('<user>', nameOrId)
    .option('--remove', 'take the rights away')
    .addHelpText('after', '\nExamples:\n  faultline user admin ann\n  faultline user admin ann --remove')
    .action((name: string, options: ClientOptions & { remove?: boolean }) =>
      change(name, { admin: !options.remove }, options),
    );
}

const createExamples = `
Examples:
  faultline user create ann
  faultline token create --user ann --name first --scopes Read,Write
  faultline team grants shop --set ann=editor`;

async function change(
  name: string,
  body: { disabled?: boolean; admin?: boolean },
  options: ClientOptions,
): Promise<void> {
  const client = clientFor(options);
  const { id } = await getUser(client, name);
  const answer = await client.patch(`/v1/users/${id}`, administeredUser, body);
  printAnswer(answer, options, (user) => `Now: ${describe(user)}.`);
}

function describe(user: AdministeredUser): string {
  const kind = user.admin ? 'an administrator' : 'an ordinary user';
  return `${user.name} (${user.id}), ${kind}${user.disabled ? ', disabled' : ''}`;
}
