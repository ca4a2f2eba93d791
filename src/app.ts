import { randomBytes } from 'node:crypto';
import type { lookup } from 'node:dns';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import { createListener } from './db/listen.ts';
import { pendingMigrations } from './db/migrate.ts';
import type { Database } from './db/open.ts';
import { createRevisionWatch } from './db/revisions.ts';
import { registerConfigRoutes } from './graph/configs.routes.ts';
import { createConfigsService } from './graph/configs.service.ts';
import { createConfigsStore } from './graph/configs.store.ts';
import { registerExportRoutes } from './graph/export.routes.ts';
import { createExportService } from './graph/export.service.ts';
import { createExportStore } from './graph/export.store.ts';
import { followChanges } from './graph/follower.store.ts';
import { registerGraphRoutes } from './graph/graph.routes.ts';
import { createGraphService } from './graph/graph.service.ts';
import { createGraphStore } from './graph/graph.store.ts';
import { registerIngestRoutes } from './graph/ingest.routes.ts';
import { batchBytes, lineBatches } from './graph/line-batches.ts';
import { createReadModel } from './graph/model/read-model.ts';
import { createTeamModels } from './graph/team-models.service.ts';
import { createVersionLine } from './graph/version-line.store.ts';
import { createAuthenticationFailures, registerAuthentication } from './http/authentication.ts';
import { registerHealthRoutes } from './http/health.routes.ts';
import { registerMetrics } from './http/metrics.ts';
import { registerOpenApi } from './http/openapi.ts';
import { createServer, type Server } from './http/server.ts';
import { registerAuditRoutes } from './identity/audit.routes.ts';
import { createAuditStore } from './identity/audit.store.ts';
import { createAuthenticationService } from './identity/authentication.service.ts';
import { createAuthenticationStore } from './identity/authentication.store.ts';
import { prepareFirstStart } from './identity/first-start.service.ts';
import { registerOidcRoutes } from './identity/oidc.routes.ts';
import { createOidcService } from './identity/oidc.service.ts';
import { createRemoteUserLookup } from './identity/remote-user.service.ts';
import { registerSessionRoutes } from './identity/session.routes.ts';
import { createSessionsService } from './identity/sessions.service.ts';
import { createSessionsStore } from './identity/sessions.store.ts';
import { registerTeamRoutes } from './identity/teams.routes.ts';
import { createTeamsService } from './identity/teams.service.ts';
import { createTeamsStore } from './identity/teams.store.ts';
import { createTokensService } from './identity/tokens.service.ts';
import { createTokensStore } from './identity/tokens.store.ts';
import { registerUserRoutes } from './identity/users.routes.ts';
import { createUsersService } from './identity/users.service.ts';
import { createUsersStore } from './identity/users.store.ts';
import { registerNewsRoutes } from './news/news.routes.ts';
import { createNewsService } from './news/news.service.ts';
import { createNewsStore } from './news/news.store.ts';
import { registerBackupRoutes } from './operation/backup.routes.ts';
import { createBackupService } from './operation/backup.service.ts';
import { builtInModels } from './platform/integrations/built-in-models.ts';
import { createDrivers } from './platform/integrations/drivers.ts';
import { registerIntegrationRoutes } from './platform/integrations/integrations.routes.ts';
import { createIntegrationsService } from './platform/integrations/integrations.service.ts';
import { createIntegrationsStore } from './platform/integrations/integrations.store.ts';
import { registerModelRoutes } from './platform/integrations/models.routes.ts';
import { createModelsService } from './platform/integrations/models.service.ts';
import { createModelsStore } from './platform/integrations/models.store.ts';
import { registerChannelRoutes } from './platform/notifications/channels.routes.ts';
import { registerDeliveryRoutes } from './platform/notifications/deliveries.routes.ts';
import { createNotifications } from './platform/notifications/notifications.service.ts';
import { createNotifierTests } from './platform/notifications/notifier-tests.ts';
import { loadSecretKey } from './platform/secret-key.ts';
import { createSecrets } from './platform/secrets.ts';
import { registerOwnService } from './platform/services/own-service.service.ts';
import { createProcessFigures } from './platform/services/process-figures.service.ts';
import { processLines } from './platform/services/process-lines.ts';
import { registerServiceRoutes } from './platform/services/services.routes.ts';
import { createServicesService } from './platform/services/services.service.ts';
import { createServicesStore } from './platform/services/services.store.ts';
import { version } from './version.ts';
import { createDefinitions } from './workflows/definitions/definitions.service.ts';
import { registerDefinitionRoutes } from './workflows/definitions.routes.ts';
import { registerEventRoutes } from './workflows/events.routes.ts';
import { listQueueDepths } from './workflows/queue-depth.store.ts';
import { workflowActor } from './workflows/service-tasks.service.ts';
import { createOutboundGuard } from './workflows/worker/outbound.ts';
import { registerWorkerRoutes } from './workflows/worker.routes.ts';
import { registerWorkflowRoutes } from './workflows/workflows.routes.ts';
import { createWorkflows, type WorkflowLimits } from './workflows/workflows.service.ts';

export type App = {
  server: Server;
  /** The secret of the sign-in link, where one may be printed. */
  signInSecret: string | undefined;
  /** Lets the worker that this process forks in, with this token. */
  trustOwnWorker(token: string): void;
  close(): Promise<void>;
};

const recordUsesEveryMs = 10_000;
const closeIdleEveryMs = 50;

/** The composition root: every part of the service, wired by hand. The database is open and migrated. */
export async function createApp(deps: {
  config: Config;
  database: Database;
  log: FastifyBaseLogger;
  clock?: Clock | undefined;
  workflowLimits?: Partial<WorkflowLimits> | undefined;
  /** How names become addresses for outgoing calls; tests have their own. */
  resolve?: typeof lookup | undefined;
}): Promise<App> {
  const { config, database, log, clock = Date.now } = deps;
  const { db } = database;
  const processName = `${hostname()}:${process.pid}`;
  const isSecure = config.publicUrl?.startsWith('https:') ?? false;
  // How old a reading is must not depend on a clock that somebody may set back.
  const revisions = createRevisionWatch({ db, clock: deps.clock ?? (() => performance.now()) });

  const usersStore = createUsersStore(db);
  const tokensStore = createTokensStore(db);
  const teamsStore = createTeamsStore(db);
  const authentication = createAuthenticationService({
    store: createAuthenticationStore(db),
    teams: teamsStore,
    tokens: tokensStore,
    revisions,
    clock,
  });
  const users = createUsersService({ store: usersStore, authentication });
  const tokens = createTokensService({ store: tokensStore, users, authentication, clock, randomBytes });
  const sessions = createSessionsService({ store: createSessionsStore(db), authentication, clock, randomBytes });
  const oidc =
    config.oidc &&
    createOidcService({
      settings: config.oidc,
      redirectUri: `${config.publicUrl}/auth/oidc/callback`,
      users: usersStore,
    });
  const news = createNewsService({ store: createNewsStore(db), revisions });

  const readModel = createReadModel({
    snapshotDir: join(config.dataDir, 'graphs'),
    memoryBudgetBytes: config.graphMemoryBytes,
    log,
  });
  const graphStore = createGraphStore(database);
  const isShared = database.kind === 'postgres';
  const listener = isShared ? createListener({ pool: database.pool, log }) : undefined;
  const versionLine = createVersionLine({
    pool: database.pool,
    askPool: (teamIds) => graphStore.listVersions(teamIds),
  });
  const models = createTeamModels({ store: graphStore, readModel, isShared, listVersions: versionLine.listVersions });
  const graph = createGraphService({ store: graphStore, readModel, models, log });
  const teams = createTeamsService({ store: teamsStore, authentication, onDeleted: (teamId) => models.forget(teamId) });
  const configs = createConfigsService({
    store: createConfigsStore(db),
    listGraphLabels: async (teamId) => (await graph.listLabels(teamId)).map((label) => label.name),
  });
  const exports = createExportService({ store: createExportStore(database), graph });

  const secrets = createSecrets(
    await loadSecretKey({ configured: config.secretKey, dataDir: config.dataDir, isShared, log }),
  );
  const outboundGuard = createOutboundGuard(config.outboundAllow, deps.resolve);
  const integrationModels = createModelsService({ store: createModelsStore(db), builtIn: builtInModels });
  const integrations = createIntegrationsService({
    store: createIntegrationsStore(db),
    models: integrationModels,
    secrets,
    drivers: createDrivers(
      outboundGuard,
      createNotifierTests({
        guard: outboundGuard,
        smtpUrl: config.smtpUrl,
        nowSeconds: () => Math.floor(clock() / 1000),
      }),
    ),
    guard: outboundGuard,
    ingest: (teamId, source, actor) =>
      graph.ingest(teamId, 'add', lineBatches(source, batchBytes[database.kind]), actor),
    elapsed: () => performance.now(),
  });

  const notifications = await createNotifications({
    pool: database.pool,
    isShared,
    secrets,
    guard: outboundGuard,
    smtpUrl: config.smtpUrl,
    publicUrl: config.publicUrl,
    findTeam: (id) => authentication.findTeam(id),
    clock,
    random: Math.random,
    log,
  });

  const definitions = await createDefinitions({ home: config.home, log });
  const workflows = await createWorkflows({
    pool: database.pool,
    listener,
    definitions,
    serviceTasks: {
      home: config.home,
      guard: outboundGuard,
      findTeam: async (nameOrId) =>
        (await teamsStore.list()).find(({ id, name }) => id === nameOrId || name === nameOrId)?.id,
      ingest: (teamId, source) =>
        graph.ingest(teamId, 'add', lineBatches(source, batchBytes[database.kind]), workflowActor),
      writeNews: async (item) => void (await news.create(item, workflowActor)),
      notifyChannel: (channel, text) => notifications.notifyChannel(channel, text),
    },
    processName,
    clock,
    log,
    limits: deps.workflowLimits,
  });

  const services = createServicesService({
    store: createServicesStore(database.pool),
    clock,
    log,
    onTransition: async (client, { service, to }) => {
      const { type, name, last_heartbeat: lastHeartbeat } = service;
      await notifications.emitter.onServiceTransition(client, [
        { type, name, state: to, lastHeartbeat, at: new Date(clock()) },
      ]);
    },
  });

  const { admin, createdToken } = await prepareFirstStart({
    users: usersStore,
    tokens: tokensStore,
    randomBytes,
    adminToken: config.adminToken,
  });

  const server = createServer({ log, trustedProxies: config.trustedProxies, isSecure });
  const failures = createAuthenticationFailures(clock);
  registerAuthentication(server, {
    authentication,
    findRemoteUser: createRemoteUserLookup({ authentication, users: usersStore }),
    failures,
    trustedProxies: config.trustedProxies,
    rateLimitPerMinute: config.rateLimitPerMinute,
    clock,
  });
  await registerOpenApi(server);
  registerMetrics(server);
  let isClosing = false;
  registerHealthRoutes(server, {
    checks: [
      { name: 'database', isReady: () => database.isReady() },
      { name: 'migrations', isReady: async () => (await pendingMigrations(database)).length === 0 },
      { name: 'accepting requests', isReady: async () => !isClosing },
    ],
  });
  registerUserRoutes(server, { users, tokens });
  registerSessionRoutes(server, { sessions, failures, isSecure });
  registerOidcRoutes(server, { oidc, sessions, isSecure });
  registerTeamRoutes(server, { teams });
  registerAuditRoutes(server, { audit: createAuditStore(db) });
  registerNewsRoutes(server, { news });
  registerGraphRoutes(server, { graph, configs, clock });
  await registerIngestRoutes(server, { graph, database: database.kind });
  registerExportRoutes(server, { exports });
  registerConfigRoutes(server, { configs });
  registerBackupRoutes(server, { backups: createBackupService({ database }) });
  registerModelRoutes(server, { models: integrationModels });
  registerIntegrationRoutes(server, { integrations });
  registerWorkflowRoutes(server, { instances: workflows.instances, store: workflows.instancesStore });
  registerDefinitionRoutes(server, { definitions, schedules: workflows.schedules, instances: workflows.instances });
  registerWorkerRoutes(server, { dispatch: workflows.dispatch });
  registerEventRoutes(server, {
    events: workflows.events,
    logs: workflows.logs,
    instances: workflows.instancesStore,
  });
  registerServiceRoutes(server, { services });
  registerChannelRoutes(server, { channels: notifications.channels });
  registerDeliveryRoutes(server, { deliveries: notifications.deliveries });
  await registerPage(server);

  const useRecorder = setInterval(() => {
    authentication
      .recordUses()
      .catch((error: unknown) => log.warn({ err: error }, 'when tokens were used could not be written'));
  }, recordUsesEveryMs).unref();

  const follower = listener
    ? followChanges({
        listener,
        onChange: (teamId) => void models.followChange(teamId).catch(() => undefined),
        poll: () => models.poll(),
        log,
      })
    : undefined;

  listener?.start();
  const figures = createProcessFigures({
    version,
    databaseName: database.describe(),
    askDatabase: () => database.isReady(),
    readModelStats: () => readModel.stats(),
    listReady: () => listQueueDepths(database.pool),
  });
  const ownService = registerOwnService({
    services,
    name: processName,
    version,
    url: () => config.publicUrl ?? addressOf(server),
    listLines: async () => processLines(await figures.read()),
    log,
  });
  // Only now it has an address.
  server.addHook('onListen', async () => ownService.beatSoon());

  return {
    server,
    // On the embedded database there is one process and one operator in front of it: every start prints a way in.
    signInSecret:
      createdToken ?? (admin && database.kind === 'embedded' ? sessions.createSignInCode(admin) : undefined),
    trustOwnWorker: (token) => authentication.trustOwnWorker(token),
    async close() {
      isClosing = true;
      clearInterval(useRecorder);
      // Workers that wait for work are sent home first: their requests would keep the server open.
      workflows.dispatch.close();
      // Closing ends the connections that are idle now; one whose request is being answered becomes idle later.
      const idleCloser = setInterval(() => server.server.closeIdleConnections(), closeIdleEveryMs);
      await server.close().finally(() => clearInterval(idleCloser));
      await ownService.stop();
      figures.stop();
      await services.close();
      await workflows.close();
      listener?.stop();
      await notifications.close();
      await follower?.stop();
      versionLine.stop();
      await models.saveSnapshots();
      await readModel.close();
      await authentication.recordUses().catch(() => undefined);
    },
  };
}

/** Where it listens, once it does. */
function addressOf(server: Server): string | null {
  const address = server.server.address();
  if (address === null || typeof address === 'string') return null;
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}

/** The page's files. Everything about them is open; what they ask for is not. */
async function registerPage(server: Server): Promise<void> {
  await server.register(fastifyStatic, {
    root: fileURLToPath(new URL('../web/', import.meta.url)),
    serve: false,
    cacheControl: false,
  });
  const options = { config: { access: 'open' }, schema: { hide: true } } as const;
  server.get('/', options, (_request, reply) => reply.sendFile('index.html'));
  server.get('/assets/*', options, (request, reply) =>
    reply.sendFile(`assets/${(request.params as { '*': string })['*']}`),
  ); // the wildcard
}
