import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { defaultUrl, readClientConfig, saveLogin } from '../client-config.ts';
import { StartupError } from '../errors.ts';
import { currentUser } from '../identity/identity.schemas.ts';
import { createClient } from './client.ts';
import { printAnswer } from './output.ts';

export function addLoginCommand(program: Command): void {
  program
    .command('login')
    .description('check an address and a token, and keep them for the commands that follow')
    .option('--url <address>', `the server (FAULTLINE_URL, else ${defaultUrl})`)
    .option(
      '--token <token>',
      'a token, or the whole sign-in link; asked for, or read from standard input, if not given',
    )
    .option('--json', "print the server's JSON")
    .addHelpText('after', help)
    .action(login);
}

const help = `
The file is $XDG_CONFIG_HOME/faultline/config.json (else ~/.config/…), readable by you only.
A token given as an option stays in the history of the shell; one from standard input does not.

Examples:
  faultline login
  faultline login --url https://faultline.example.org < token.txt`;

async function login(options: { url?: string; token?: string; json?: boolean }): Promise<void> {
  const given = tokenIn(options.token ?? (await readToken()));
  const config = { ...readClientConfig(process.env, { url: options.url, token: given }), tokenSource: 'this login' };
  const answer = await createClient(config).get('/v1/users/me', currentUser);
  const file = saveLogin(process.env, { url: config.url, token: given });
  printAnswer(
    answer,
    options,
    (user) => `Signed in at ${config.url} as ${user.name} (${user.scopes.join(', ')}). Kept in ${file}.`,
  );
  const later = readClientConfig(process.env, {});
  if (later.url !== config.url || later.token !== given) {
    process.stderr.write('Note: FAULTLINE_URL or FAULTLINE_TOKEN is set, and goes before what was kept.\n');
  }
}

/** The first start prints a link with a token in it, and a person copies the whole link. */
function tokenIn(given: string): string {
  const token = given.trim().replace(/^.*#token=/, '');
  if (!/^[\x21-\x7e]+$/.test(token)) throw new StartupError('No usable token was given; paste one, or give --token.');
  return token;
}

async function readToken(): Promise<string> {
  if (!process.stdin.isTTY) return text(process.stdin);
  process.stderr.write('Token: ');
  // Echoed nowhere: what is typed goes to the prompt's output, which leads nowhere.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const prompt = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  const answer = await prompt.question('').finally(() => prompt.close());
  process.stderr.write('\n');
  return answer;
}
