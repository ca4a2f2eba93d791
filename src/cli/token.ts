import type { Command } from 'commander';
import type { z } from 'zod';
import type { Scope } from '../identity/access.ts';
import { createdToken, type token, tokenList } from '../identity/identity.schemas.ts';
import { parseExpiry, parseScopes } from './arguments.ts';
import { addClientOptions, type ClientOptions, clientFor } from './client-options.ts';
import { getToken, tokensPathOf } from './lookup.ts';
import { describeList, minute, print, printAnswer } from './output.ts';
import type { Column } from './table.ts';

type Token = z.infer<typeof token>;
type OfUser = ClientOptions & { user?: string };

const columns: Column<Token>[] = [
  { title: 'NAME', value: (token) => token.name },
  { title: 'SCOPES', value: (token) => token.scopes.join(',') },
  { title: 'PREFIX', value: (token) => token.prefix },
  { title: 'LAST USED (UTC)', value: (token) => minute(token.last_used_at) },
  { title: 'EXPIRES (UTC)', value: (token) => (token.expires_at === null ? 'never' : minute(token.expires_at)) },
  { title: 'ID', value: (token) => token.id },
];

export function addTokenCommand(program: Command): void {
  const command = program.command('token').description('list, create and revoke tokens, yours or those of others');
  const ofUser = '--user <name>';

  addClientOptions(command.command('list').description('list tokens'))
    .option(ofUser, 'whose; yours unless told (name or id, needs the scope Admin)')
    .addHelpText('after', '\nExamples:\n  faultline token list\n  faultline token list --user ann --json')
    .action(listTokens);

  addClientOptions(command.command('create').description('create a token; it is shown once and never again'))
    .requiredOption('--name <name>', 'what it is for')
    .option('--scopes <list>', 'what it may do: Read, Write, Service, Admin', parseScopes, ['Read'] as Scope[]) // what parseScopes gives
    .option(ofUser, 'for whom; for you unless told (name or id, needs the scope Admin)')
    .option('--expires <when>', 'a span such as 12h, 30d or 2w, or a date', (text) => parseExpiry(text, Date.now()))
    .option('-q, --quiet', 'print the token and nothing else')
    .addHelpText('after', createExamples)
    .action(createToken);

  addClientOptions(command.command('revoke').description('revoke a token; it stops working at once'))
    .argument('<token>', 'its id, its prefix, or its name where no other has it')
    .option(ofUser, 'whose; yours unless told (name or id, needs the scope Admin)')
    .addHelpText('after', '\nExamples:\n  faultline token revoke laptop\n  faultline token revoke ci --user ann')
    .action(revokeToken);
}

const createExamples = `
Examples:
  faultline token create --name laptop --scopes Read,Write
  faultline token create --name ci --user ann --scopes Read,Write --expires 30d
  FAULTLINE_TOKEN=$(faultline token create --name job --expires 1h --quiet)`;

async function listTokens(options: OfUser): Promise<void> {
  const client = clientFor(options);
  const answer = await client.get(await tokensPathOf(client, options.user), tokenList);
  printAnswer(answer, options, ({ tokens }) => describeList(columns, tokens, 'No tokens.'));
}

async function createToken(
  options: OfUser & { name: string; scopes: Scope[]; expires?: string; quiet?: boolean },
): Promise<void> {
  const client = clientFor(options);
  const path = await tokensPathOf(client, options.user);
  const { name, scopes, expires } = options;
  const answer = await client.post(path, createdToken, { name, scopes, expires_at: expires });
  if (options.quiet) return print(answer.value.token);
  printAnswer(answer, options, ({ token, scopes, expires_at }) => {
    const owner = options.user === undefined ? '' : ` for ${options.user}`;
    const end = expires_at === null ? 'does not expire' : `expires at ${minute(expires_at)} UTC`;
    return `Created the token "${name}"${owner}; its scopes are ${scopes.join(', ')}, and it ${end}. It is shown only now:\n\n${token}`;
  });
}

async function revokeToken(reference: string, options: OfUser): Promise<void> {
  const client = clientFor(options);
  const path = await tokensPathOf(client, options.user);
  const token = await getToken(client, path, reference);
  const answer = await client.delete(`${path}/${token.id}`);
  printAnswer(answer, options, () => `Revoked the token "${token.name}" (${token.prefix}).`);
}
