import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import type { createListener } from '../db/listen.ts';
import type { Database, Log } from '../db/open.ts';
import type { Server } from '../http/server.ts';
import type { Actor } from '../identity/access.ts';
import { registerConfigRoutes } from './configs.routes.ts';
import { createConfigsService } from './configs.service.ts';
import { createConfigsStore } from './configs.store.ts';
import { registerExploreRoutes } from './explore.routes.ts';
import { registerExportRoutes } from './export.routes.ts';
import { createExportService } from './export.service.ts';
import { createExportStore } from './export.store.ts';
import { followChanges } from './follower.store.ts';
import { registerGraphRoutes } from './graph.routes.ts';
import { createGraphService, type IngestResult } from './graph.service.ts';
import { createGraphStore } from './graph.store.ts';
import { registerIngestRoutes } from './ingest.routes.ts';
import { graphBatchBytes, lineBatches } from './line-batches.ts';
import { createReadModel } from './model/read-model.ts';
import { createTeamModels } from './team-models.service.ts';
import { createVersionLine } from './version-line.store.ts';

/** Teams' graphs and their configurations: rows, read models and what keeps them as new as they have to be, put together. */
export function createGraphs(deps: {
  database: Database;
  dataDir: string;
  memoryBudgetBytes: number;
  /** Where several processes share the database. */
  listener: ReturnType<typeof createListener> | undefined;
  listRuleNames: (teamId: string) => Promise<string[]>;
  clock: Clock;
  log: Log;
}) {
  const { database, listener, clock, log } = deps;
  const { db, pool } = database;
  const readModel = createReadModel({
    snapshotDir: join(deps.dataDir, 'graphs'),
    memoryBudgetBytes: deps.memoryBudgetBytes,
    log,
  });
  const store = createGraphStore(database);
  const versionLine = createVersionLine({ pool, askPool: (teamIds) => store.listVersions(teamIds) });
  const { listVersions } = versionLine;
  const models = createTeamModels({ store, readModel, isShared: listener !== undefined, listVersions });
  const graph = createGraphService({ store, readModel, models, log });
  const configs = createConfigsService({
    store: createConfigsStore(db),
    listGraphLabels: async (teamId) => (await graph.listLabels(teamId)).map((label) => label.name),
    listRuleNames: deps.listRuleNames,
  });
  const exports = createExportService({ store: createExportStore(database), graph });
  const follower = listener
    ? followChanges({
        listener,
        onChange: (teamId) => void models.followChange(teamId).catch(() => undefined),
        poll: () => models.poll(),
        log,
      })
    : undefined;

  return {
    graph,
    configs,
    /** Messages from wherever they come, as a request would bring them. */
    ingest: (teamId: string, source: AsyncIterable<Uint8Array>, actor: Actor): Promise<IngestResult> =>
      graph.ingest(teamId, 'add', lineBatches(source, graphBatchBytes), actor),
    /** A team that was deleted takes its graph with it. */
    forget: (teamId: string): Promise<void> => models.forget(teamId),
    stats: () => readModel.stats(),

    async registerRoutes(server: Server): Promise<void> {
      registerGraphRoutes(server, { graph, configs, clock });
      await registerIngestRoutes(server, { graph });
      registerExploreRoutes(server, { graph, clock });
      registerExportRoutes(server, { exports });
      registerConfigRoutes(server, { configs });
    },

    async close(): Promise<void> {
      await follower?.stop();
      versionLine.stop();
      await models.saveSnapshots();
      await readModel.close();
    },
  };
}
