import { existsSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { StartupError } from './errors.ts';

/** Every setting of the service. `readConfig` is the only reader of the environment, and checks all of it at once. */
export type Config = {
  host: string;
  port: number;
  databaseUrl: string | undefined;
  dataDir: string;
  adminToken: string | undefined;
  logLevel: LogLevel;
  /** Requests a minute and token; 0 for none. */
  rateLimitPerMinute: number;
  /** The address people use, without a slash at its end. Decides the sign-in link, cookie security and the OpenID redirect. */
  publicUrl: string | undefined;
  /** Proxies whose `X-Remote-User` and `X-Forwarded-For` are believed. Empty: nobody's. */
  trustedProxies: string[];
  oidc: OidcConfig | undefined;
  /** How much memory graphs may take; the least recently used team leaves first. */
  graphMemoryBytes: number;
  /** Where workflows.yml, workflows/, tasks/ and schemas/ are. */
  home: string;
  /** `all` answers requests and forks a worker, `api` answers requests alone. */
  role: Role;
  /** Addresses that are not public and may be reached all the same by what others choose the address of. */
  outboundAllow: string[];
  /** What stored passwords are encrypted with; unset: a key file in the data directory. */
  secretKey: string | undefined;
  /** The mail server for channels that name none: smtp:// or smtps://, with user and password. */
  smtpUrl: string | undefined;
  /** Load the example team into a database that is empty. */
  isDemo: boolean;
  /** How long pushed measurements are kept. */
  measurementsDays: number;
};

const roles = ['all', 'api', 'worker'] as const;
type Role = (typeof roles)[number];

export type OidcConfig = { issuer: string; clientId: string; clientSecret: string | undefined };

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

export const whole = (from: number, to: number) =>
  z
    .string()
    .regex(/^\d+$/, `must be a whole number from ${from} to ${to}`)
    .transform(Number)
    .refine((n) => n >= from && n <= to, `must be a whole number from ${from} to ${to}`);

const url = (...protocols: string[]) =>
  z
    .string()
    .refine(
      (text) => protocols.includes(URL.parse(text)?.protocol ?? ''),
      `must be an address that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`,
    );

export const addressList = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  )
  .refine(
    (parts) => parts.every(isAddressOrRange),
    'must be addresses or ranges such as 10.0.0.7 or 10.1.0.0/16, separated by commas',
  );

export const logLevel = z.enum(logLevels, `must be one of ${logLevels.join(', ')}`);

export const switchedOn = z
  .string()
  .regex(/^(true|1|yes|on|false|0|no|off)$/i, 'must be true or false')
  .transform((text) => /^(true|1|yes|on)$/i.test(text));

const environment = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: whole(0, 65_535).default(8080),
  DATABASE_URL: url('postgres:', 'postgresql:').optional(),
  FAULTLINE_DATA_DIR: z.string().default('.data'),
  FAULTLINE_ADMIN_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{8,200}$/, 'must be 8 to 200 printable characters without spaces')
    .optional(),
  FAULTLINE_LOG: logLevel.default('info'),
  FAULTLINE_RATE_LIMIT: whole(0, 1_000_000_000).default(0),
  FAULTLINE_PUBLIC_URL: url('http:', 'https:')
    .transform((text) => text.replace(/\/+$/, ''))
    .optional(),
  FAULTLINE_TRUSTED_PROXIES: addressList.default([]),
  FAULTLINE_GRAPH_MEMORY: whole(16, 1_000_000).default(4096),
  FAULTLINE_HOME: z.string().optional(),
  FAULTLINE_ROLE: z.enum(roles, `must be one of ${roles.join(', ')}`).default('all'),
  FAULTLINE_OUTBOUND_ALLOW: addressList.default([]),
  FAULTLINE_SECRET_KEY: z.string().min(16, 'must have at least 16 characters').optional(),
  FAULTLINE_SMTP_URL: url('smtp:', 'smtps:').optional(),
  FAULTLINE_DEMO: switchedOn.optional(),
  FAULTLINE_MEASUREMENTS_DAYS: whole(1, 36_500).default(35),
  FAULTLINE_OIDC_ISSUER: url('http:', 'https:').optional(),
  FAULTLINE_OIDC_CLIENT_ID: z.string().optional(),
  FAULTLINE_OIDC_CLIENT_SECRET: z.string().optional(),
});

/** Reads and checks all settings. Throws one StartupError that lists every fault. `isDemo` is what FAULTLINE_DEMO is unless told. */
export function readConfig(env: Record<string, string | undefined>, { isDemo = false } = {}): Config {
  // An empty variable counts as unset: that is how compose files and service units "remove" one.
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = environment.safeParse(given);
  const faults = parsed.success ? [] : parsed.error.issues.map((issue) => `${String(issue.path[0])} ${issue.message}`);
  if (Boolean(given.FAULTLINE_OIDC_ISSUER) !== Boolean(given.FAULTLINE_OIDC_CLIENT_ID)) {
    faults.push('FAULTLINE_OIDC_ISSUER and FAULTLINE_OIDC_CLIENT_ID must be set together');
  }
  if (given.FAULTLINE_OIDC_ISSUER && !given.FAULTLINE_PUBLIC_URL) {
    faults.push(
      'FAULTLINE_PUBLIC_URL must be set for sign-in through FAULTLINE_OIDC_ISSUER: the provider sends people back to it',
    );
  }
  if (!parsed.success || faults.length > 0) {
    throw new StartupError(`The settings are not usable: ${faults.join('; ')}.`);
  }
  const value = parsed.data;
  return {
    host: value.HOST,
    port: value.PORT,
    databaseUrl: value.DATABASE_URL,
    dataDir: resolve(value.FAULTLINE_DATA_DIR),
    adminToken: value.FAULTLINE_ADMIN_TOKEN,
    logLevel: value.FAULTLINE_LOG,
    rateLimitPerMinute: value.FAULTLINE_RATE_LIMIT,
    publicUrl: value.FAULTLINE_PUBLIC_URL,
    trustedProxies: value.FAULTLINE_TRUSTED_PROXIES,
    graphMemoryBytes: value.FAULTLINE_GRAPH_MEMORY * 1024 * 1024,
    home: resolve(value.FAULTLINE_HOME ?? defaultHome()),
    role: value.FAULTLINE_ROLE,
    outboundAllow: value.FAULTLINE_OUTBOUND_ALLOW,
    secretKey: value.FAULTLINE_SECRET_KEY,
    smtpUrl: value.FAULTLINE_SMTP_URL,
    isDemo: value.FAULTLINE_DEMO ?? isDemo,
    measurementsDays: value.FAULTLINE_MEASUREMENTS_DAYS,
    oidc:
      value.FAULTLINE_OIDC_ISSUER && value.FAULTLINE_OIDC_CLIENT_ID
        ? {
            issuer: value.FAULTLINE_OIDC_ISSUER,
            clientId: value.FAULTLINE_OIDC_CLIENT_ID,
            clientSecret: value.FAULTLINE_OIDC_CLIENT_SECRET,
          }
        : undefined,
  };
}

/** A checkout has examples that run; an installed package does not, and works in the folder it is started from. */
function defaultHome(): string {
  const examples = fileURLToPath(new URL('../examples/home', import.meta.url));
  return existsSync(examples) ? examples : '.';
}

/** The environment without what only the service itself may know: what task code and commands of tasks see. */
export function taskEnvironment(): Record<string, string | undefined> {
  const secrets = new Set([
    'DATABASE_URL',
    'FAULTLINE_TOKEN',
    'FAULTLINE_ADMIN_TOKEN',
    'FAULTLINE_OIDC_CLIENT_SECRET',
    'FAULTLINE_SECRET_KEY',
    'FAULTLINE_SMTP_URL',
  ]);
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !secrets.has(name)));
}

/** A test for membership in a list of addresses and ranges, IPv4-mapped IPv6 addresses included. */
export function addressMatcher(list: string[]): (address: string) => boolean {
  const block = new BlockList();
  for (const entry of list) {
    const [address, bits] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) block.addAddress(address, family);
    else block.addSubnet(address, Number(bits), family);
  }
  return (address) => {
    const plain = address.startsWith('::ffff:') ? address.slice(7) : address;
    const family = isIP(plain);
    return family !== 0 && block.check(plain, family === 6 ? 'ipv6' : 'ipv4');
  };
}

function isAddressOrRange(entry: string): boolean {
  const [address, bits, ...rest] = entry.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32));
}
