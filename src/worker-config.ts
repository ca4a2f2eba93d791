import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { z } from 'zod';
import { type ClientConfig, readClientConfig } from './client-config.ts';
import { addressList, type LogLevel, logLevel, switchedOn, whole } from './config.ts';
import { StartupError } from './errors.ts';

/** Every setting of `faultline worker`, from its flags, else the environment. */
export type WorkerConfig = {
  server: ClientConfig;
  home: string;
  name: string;
  concurrency: number;
  queues: string[] | undefined;
  tasks: string[] | undefined;
  allowShell: boolean;
  outboundAllow: string[];
  memoryMb: number;
  graceSeconds: number;
  logLevel: LogLevel;
};

export type WorkerFlags = {
  url?: string;
  token?: string;
  home?: string;
  name?: string;
  concurrency?: string;
  queues?: string;
  tasks?: string;
  allowShell?: boolean;
};

const names = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean),
);

const settings = z.object({
  FAULTLINE_HOME: z.string().default('examples/home'),
  FAULTLINE_WORKER_NAME: z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, 'must be 1 to 200 printable characters without spaces')
    .optional(),
  FAULTLINE_WORKER_CONCURRENCY: whole(1, 10_000).default(100),
  FAULTLINE_WORKER_QUEUES: names.optional(),
  FAULTLINE_WORKER_TASKS: names.optional(),
  FAULTLINE_WORKER_MEMORY: whole(32, 1_000_000).default(1024),
  FAULTLINE_WORKER_GRACE: whole(0, 3600).default(10),
  FAULTLINE_ALLOW_SHELL: switchedOn.default(false),
  FAULTLINE_OUTBOUND_ALLOW: addressList.default([]),
  FAULTLINE_LOG: logLevel.default('info'),
});

/** Throws one StartupError that lists every fault. */
export function readWorkerConfig(env: Record<string, string | undefined>, flags: WorkerFlags): WorkerConfig {
  const given = {
    ...env,
    ...present({
      FAULTLINE_HOME: flags.home,
      FAULTLINE_WORKER_NAME: flags.name,
      FAULTLINE_WORKER_CONCURRENCY: flags.concurrency,
      FAULTLINE_WORKER_QUEUES: flags.queues,
      FAULTLINE_WORKER_TASKS: flags.tasks,
      FAULTLINE_ALLOW_SHELL: flags.allowShell ? 'true' : undefined,
    }),
  };
  const parsed = settings.safeParse(present(given));
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${String(issue.path[0])} ${issue.message}`);
    throw new StartupError(`The settings are not usable: ${faults.join('; ')}.`);
  }
  const value = parsed.data;
  return {
    server: readClientConfig(env, flags),
    home: resolve(value.FAULTLINE_HOME),
    name: value.FAULTLINE_WORKER_NAME ?? `${hostname().replace(/[^\x21-\x7e]/g, '-')}:${process.pid}`,
    concurrency: value.FAULTLINE_WORKER_CONCURRENCY,
    queues: value.FAULTLINE_WORKER_QUEUES,
    tasks: value.FAULTLINE_WORKER_TASKS,
    allowShell: value.FAULTLINE_ALLOW_SHELL,
    outboundAllow: value.FAULTLINE_OUTBOUND_ALLOW,
    memoryMb: value.FAULTLINE_WORKER_MEMORY,
    graceSeconds: value.FAULTLINE_WORKER_GRACE,
    logLevel: value.FAULTLINE_LOG,
  };
}

const present = (record: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(record).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ''),
  );
