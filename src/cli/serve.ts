import { randomBytes } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import type { Command } from 'commander';
import type { Logger } from 'pino';
import type { App } from '../app.ts';
import { type Config, readConfig } from '../config.ts';
import { StartupError } from '../errors.ts';
import { stepBackCollectors } from '../thread-priority.ts';
import { forkWorker } from '../workflows/worker/fork-worker.ts';
import { work } from './worker.ts';

const closeWithinMs = 30_000;
const workerStopWithinMs = 15_000;

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('run the service; all settings come from the environment')
    .option('--demo', 'load an example team into an empty database, unless FAULTLINE_DEMO says otherwise')
    .addHelpText('after', settingsHelp)
    .action(serve);
}

async function serve(options: { demo?: boolean }): Promise<void> {
  const config = readConfig(process.env, { isDemo: options.demo ?? false });
  if (config.role === 'worker') return work({});
  // Loaded late: the other commands start in a fraction of the time without them.
  const [{ createApp }, { migrate }, { openDatabase }, { pino }, serveDemo] = await Promise.all([
    import('../app.ts'),
    import('../db/migrate.ts'),
    import('../db/open.ts'),
    import('pino'),
    config.isDemo ? import('./serve-demo.ts') : undefined,
  ]);
  const log = pino({ level: config.logLevel, base: undefined });
  const database = await openDatabase({ databaseUrl: config.databaseUrl, dataDir: config.dataDir, log });
  try {
    await migrate(database);
    spareEventLoop();
    const app = await createApp({ config, database, log });
    // What runs by itself must not outlive the database.
    const address = await listen(app.server, config).catch(async (error: unknown) => {
      await app.close();
      throw error;
    });
    const worker = config.role === 'all' ? startOwnWorker(app, address, config, log) : undefined;
    announce(config.publicUrl ?? address, app.signInSecret, database.describe());
    // Only now: nobody waits for it.
    const demo = serveDemo?.startDemo(app, address, log);
    await stopSignal();
    log.info('stopping');
    setTimeout(() => process.exit(1), closeWithinMs).unref();
    // First: it hands its tasks back to a service that still answers.
    await worker?.stop();
    await demo?.stop();
    await app.close();
  } finally {
    await database.close();
  }
  process.exit(0);
}

/**
 * Collections of garbage stop the event loop. V8 begins a full one whenever the room that is left is smaller than its young generation, which
 * on a heap of 40 MB is all the time: four times as many of them while a graph is loaded.
 */
function spareEventLoop(): void {
  setFlagsFromString('--heap-growing-percent=200');
  stepBackCollectors(10);
}

/** Task code never runs in this process. The worker's token lives as long as both, and is written nowhere. */
function startOwnWorker(app: App, address: string, config: Config, log: Logger): { stop(): Promise<void> } {
  const token = randomBytes(32).toString('base64url');
  app.trustOwnWorker(token);
  return forkWorker({ url: address, token, home: config.home, log, stopWithinMs: workerStopWithinMs });
}

async function listen(
  server: { listen(options: { host: string; port: number }): Promise<string> },
  config: Config,
): Promise<string> {
  const { host, port } = config;
  try {
    return await server.listen({ host, port });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE')
      throw new StartupError(`Port ${port} on ${host} is taken; stop what uses it, or set PORT to another.`);
    if (code === 'EACCES')
      throw new StartupError(`Port ${port} needs rights that this process lacks; set PORT to one above 1023.`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new StartupError(`HOST ${host} is not an address of this machine.`);
    throw error;
  }
}

function announce(address: string, signInSecret: string | undefined, database: string): void {
  const lines = [`Faultline is ready at ${address} on ${database}.`];
  if (signInSecret !== undefined) lines.push(`Sign in: ${address}/#token=${signInSecret}`);
  else lines.push('Sign in with a token of yours; if all are lost, set FAULTLINE_ADMIN_TOKEN and start again.');
  process.stdout.write(`${lines.join('\n')}\n`);
}

const stopSignal = (): Promise<void> =>
  new Promise((resolve) => {
    process.once('SIGTERM', () => resolve());
    process.once('SIGINT', () => resolve());
  });

const settingsHelp = `
Settings (environment):
  HOST, PORT                  where to listen (127.0.0.1, 8080)
  DATABASE_URL                a PostgreSQL 15+ server; without it, an embedded database is used
  FAULTLINE_DATA_DIR          where the embedded database lies (.data)
  FAULTLINE_ADMIN_TOKEN       the token of the user admin, for unattended set-up
  FAULTLINE_LOG               fatal, error, warn, info, debug, trace or silent (info)
  FAULTLINE_RATE_LIMIT        requests a minute and token, 0 for no limit (0)
  FAULTLINE_PUBLIC_URL        the address people use, if it is not HOST and PORT
  FAULTLINE_HOME              workflows.yml, workflows/, tasks/ and schemas/ (examples/home in a checkout, else the current folder)
  FAULTLINE_ROLE              all (answer requests and run tasks), api or worker (all)
  FAULTLINE_OUTBOUND_ALLOW    addresses and ranges that workflows may reach although they are not public
  FAULTLINE_DEMO              load an example team into an empty database (false; true with --demo)
  FAULTLINE_SECRET_KEY        what stored passwords are encrypted with (else a key file in the data directory)
  FAULTLINE_SMTP_URL          mail server for channels without one: smtp://user:password@host:port?from=address
  FAULTLINE_GRAPH_MEMORY      megabytes that graphs may take in memory (4096)
  FAULTLINE_TRUSTED_PROXIES   addresses whose X-Remote-User and X-Forwarded-For are believed
  FAULTLINE_OIDC_ISSUER, FAULTLINE_OIDC_CLIENT_ID, FAULTLINE_OIDC_CLIENT_SECRET
                              sign-in through an OpenID Connect provider

Examples:
  faultline serve
  PORT=9000 FAULTLINE_DATA_DIR=/var/lib/faultline faultline serve`;
