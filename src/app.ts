import type { lookup } from 'node:dns';
import { hostname } from 'node:os';
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import { createListener } from './db/listen.ts';
import { pendingMigrations } from './db/migrate.ts';
import type { Database } from './db/open.ts';
import { createRevisionWatch } from './db/revisions.ts';
import { createGraphs } from './graph/graphs.service.ts';
import { registerHealthRoutes } from './http/health.routes.ts';
import { registerMetrics } from './http/metrics.ts';
import { registerOpenApi } from './http/openapi.ts';
import { registerPage } from './http/page.ts';
import { createServer, type Server } from './http/server.ts';
import { createIdentity, type LentToken } from './identity/identity.service.ts';
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
import { createMetricSources } from './platform/integrations/metric-sources.service.ts';
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
import { createQos } from './qos/qos.service.ts';
import { registerQosSettingsRoutes } from './qos/qos-settings.routes.ts';
import { createQosSettings } from './qos/qos-settings.service.ts';
import { qosWorkflows } from './qos/qos-workflow.ts';
import { version } from './version.ts';
import { compileBuiltIns } from './workflows/definitions/built-in-definitions.ts';
import { createDefinitions } from './workflows/definitions/definitions.service.ts';
import { registerDefinitionRoutes } from './workflows/definitions.routes.ts';
import { registerEventRoutes } from './workflows/events.routes.ts';
import { listQueueDepths } from './workflows/queue-depth.store.ts';
import { workflowActor } from './workflows/service-tasks.service.ts';
import { createIds } from './workflows/uuid.ts';
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
  /** Lets this process call itself as the user `admin`, with a token that is written nowhere; undefined where there is no such user. */
  lendAdminToken(): Promise<LentToken | undefined>;
  close(): Promise<void>;
};

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

  const isShared = database.kind === 'postgres';
  const listener = isShared ? createListener({ pool: database.pool, log }) : undefined;
  const identity = createIdentity({
    db,
    config,
    revisions,
    onTeamDeleted: (teamId) => graphs.forget(teamId),
    clock,
    log,
  });
  const news = createNewsService({ store: createNewsStore(db), revisions });

  const graphs = createGraphs({
    database,
    dataDir: config.dataDir,
    memoryBudgetBytes: config.graphMemoryBytes,
    listener,
    listRuleNames: (teamId) => qosSettings.rules.listNames(teamId),
    clock,
    log,
  });
  const { graph, configs } = graphs;

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
    ingest: graphs.ingest,
    listUsers: (teamId, id) => qosSettings.checks.listNamesOfSource(teamId, id),
    elapsed: () => performance.now(),
  });
  const qosSettings = createQosSettings({
    database,
    integrations,
    metricSources: createMetricSources({ integrations, models: integrationModels }),
    findCurrentConfig: async (teamId) => (await configs.findCurrent(teamId))?.config,
    keepDays: config.measurementsDays,
    clock,
    log,
  });

  const notifications = await createNotifications({
    pool: database.pool,
    isShared,
    secrets,
    guard: outboundGuard,
    smtpUrl: config.smtpUrl,
    publicUrl: config.publicUrl,
    findTeam: (id) => identity.authentication.findTeam(id),
    clock,
    random: Math.random,
    log,
  });

  const { findTeamId } = identity;
  const qos = createQos({
    pool: database.pool,
    graph,
    configs,
    settings: qosSettings,
    notifications,
    findTeam: findTeamId,
    newId: createIds(Date.now),
    clock,
  });
  const builtIns = compileBuiltIns(qosWorkflows, clock());
  const definitions = await createDefinitions({ home: config.home, log, builtIns });
  const workflows = await createWorkflows({
    pool: database.pool,
    listener,
    definitions,
    serviceTasks: {
      home: config.home,
      guard: outboundGuard,
      findTeam: findTeamId,
      ingest: (teamId, source) => graphs.ingest(teamId, source, workflowActor),
      writeNews: async (item) => void (await news.create(item, workflowActor)),
      notifyChannel: (channel, text) => notifications.notifyChannel(channel, text),
      more: qos.tasks,
    },
    processName,
    clock,
    log,
    limits: deps.workflowLimits,
  });
  const { listStatuses, isFailing } = workflows.instancesStore;
  qos.useEngine({ start: workflows.instances.start, listStatuses, isFailing });

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

  const signInSecret = await identity.prepareFirstStart({ isAlone: !isShared });

  const server = createServer({ log, trustedProxies: config.trustedProxies, isSecure });
  identity.guard(server);
  await registerOpenApi(server);
  registerMetrics(server, qos.describeMetrics);
  let isClosing = false;
  registerHealthRoutes(server, {
    checks: [
      { name: 'database', isReady: () => database.isReady() },
      { name: 'migrations', isReady: async () => (await pendingMigrations(database)).length === 0 },
      { name: 'accepting requests', isReady: async () => !isClosing },
    ],
  });
  identity.registerRoutes(server);
  registerNewsRoutes(server, { news });
  await graphs.registerRoutes(server);
  registerBackupRoutes(server, { backups: createBackupService({ database }) });
  registerModelRoutes(server, { models: integrationModels });
  registerIntegrationRoutes(server, { integrations });
  await registerQosSettingsRoutes(server, qosSettings);
  registerWorkflowRoutes(server, { instances: workflows.instances, list: workflows.instanceList });
  registerDefinitionRoutes(server, { definitions, schedules: workflows.schedules, instances: workflows.instances });
  registerWorkerRoutes(server, { dispatch: workflows.dispatch });
  registerEventRoutes(server, {
    events: workflows.events,
    logs: workflows.logs,
    instances: workflows.instancesStore,
  });
  registerServiceRoutes(server, { services });
  qos.registerRoutes(server);
  registerChannelRoutes(server, { channels: notifications.channels });
  registerDeliveryRoutes(server, { deliveries: notifications.deliveries });
  await registerPage(server);

  listener?.start();
  const figures = createProcessFigures({
    version,
    databaseName: database.describe(),
    askDatabase: () => database.isReady(),
    readModelStats: () => graphs.stats(),
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
    signInSecret,
    trustOwnWorker: (token) => identity.authentication.trustOwnWorker(token),
    lendAdminToken: () => identity.lendAdminToken(),
    async close() {
      isClosing = true;
      // Workers that wait for work are sent home first: their requests would keep the server open.
      workflows.dispatch.close();
      // Closing ends the connections that are idle now; one whose request is being answered becomes idle later.
      const idleCloser = setInterval(() => server.server.closeIdleConnections(), closeIdleEveryMs);
      await server.close().finally(() => clearInterval(idleCloser));
      await ownService.stop();
      figures.stop();
      await services.close();
      await workflows.close();
      await qos.close();
      listener?.stop();
      await notifications.close();
      await qosSettings.close();
      await graphs.close();
      await identity.close();
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
