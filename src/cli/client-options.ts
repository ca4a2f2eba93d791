import type { Command } from 'commander';
import { type ClientConfig, readClientConfig } from '../client-config.ts';
import { type Client, createClient } from './client.ts';

export type ClientOptions = { url?: string; token?: string; json?: boolean };

/** What every command that talks to a running server understands. */
export function addClientOptions(command: Command): Command {
  return command
    .option('--url <address>', 'the server (FAULTLINE_URL, else the one of "faultline login")')
    .option('--token <token>', 'who asks (FAULTLINE_TOKEN, else the one of "faultline login")')
    .option('--json', "print the server's JSON");
}

export const clientConfig = (options: ClientOptions): ClientConfig => readClientConfig(process.env, options);

export const clientFor = (options: ClientOptions): Client => createClient(clientConfig(options));
