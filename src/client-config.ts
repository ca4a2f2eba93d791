import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { StartupError } from './errors.ts';

type Environment = Record<string, string | undefined>;

/** What the command line needs to talk to a running server. */
export type ClientConfig = {
  /** Without a slash at its end. */
  url: string;
  token: string | undefined;
  /** For messages: where the token was found. */
  tokenSource: string;
};

const savedLogin = z.object({ url: z.string(), token: z.string().min(1) });
export const defaultUrl = 'http://127.0.0.1:8080';

/** Each value from the flag, else the environment, else the file that `faultline login` wrote. */
export function readClientConfig(env: Environment, flags: { url?: string; token?: string }): ClientConfig {
  const file = loginFile(env);
  const saved = readLogin(file);
  const url = normalizeUrl(flags.url || env['FAULTLINE_URL'] || saved?.url || defaultUrl);
  if (flags.token) return { url, token: flags.token, tokenSource: '--token' };
  if (env['FAULTLINE_TOKEN']) return { url, token: env['FAULTLINE_TOKEN'], tokenSource: 'FAULTLINE_TOKEN' };
  // A saved token belongs to the server that it was saved for, and is not shown to another one.
  const isForThisServer = saved !== undefined && normalizeUrl(saved.url) === url;
  return { url, token: isForThisServer ? saved.token : undefined, tokenSource: file };
}

/** Replaces the file in one step, readable by its owner only. Returns its path. */
export function saveLogin(env: Environment, login: { url: string; token: string }): string {
  const file = loginFile(env);
  const draft = `${file}.${process.pid}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(draft, `${JSON.stringify(login, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(draft, file);
    return file;
  } catch (error) {
    rmSync(draft, { force: true });
    throw new StartupError(`${file} cannot be written (${reasonOf(error)}); make it writable, or set XDG_CONFIG_HOME.`);
  }
}

function loginFile(env: Environment): string {
  return join(env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config'), 'faultline', 'config.json');
}

function readLogin(file: string): z.infer<typeof savedLogin> | undefined {
  try {
    return savedLogin.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    const what = code === undefined ? 'is not what "faultline login" writes' : `cannot be read (${code})`;
    throw new StartupError(`${file} ${what}; delete it and run "faultline login" again.`);
  }
}

function normalizeUrl(text: string): string {
  const url = URL.parse(text);
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new StartupError(`The address "${text}" is not usable; give one such as ${defaultUrl}.`);
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
const reasonOf = (error: unknown): string => codeOf(error) ?? String(error);
