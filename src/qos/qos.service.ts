import type { Clock } from '../clock.ts';
import type { Database } from '../db/open.ts';
import type { ConfigsService } from '../graph/configs.service.ts';
import type { GraphService } from '../graph/graph.service.ts';
import type { Server } from '../http/server.ts';
import type { Emitter } from '../platform/notifications/emitter.service.ts';
import type { InstancesService } from '../workflows/instances.service.ts';
import type { ServiceTask } from '../workflows/steps.service.ts';
import { createChunkService } from './chunk.service.ts';
import { createComputeService } from './compute.service.ts';
import { createExplanationService } from './explanation.service.ts';
import { createExplanationStore } from './explanation.store.ts';
import { createFetchRule } from './fetch-rule.service.ts';
import { createFiguresStore } from './figures.store.ts';
import { createFinishService } from './finish.service.ts';
import { createFinishStore } from './finish.store.ts';
import { createQosMetrics } from './metrics.service.ts';
import type { QosSettingsServices } from './qos-settings.service.ts';
import { registerResultRoutes } from './results.routes.ts';
import { createResultsService } from './results.service.ts';
import { createResultsStore } from './results.store.ts';
import { createRollUpChunk } from './roll-up-chunk.service.ts';
import { createRollUpThread } from './roll-up-thread.ts';
import { createRunTasks } from './run-tasks.service.ts';
import { registerRunRoutes } from './runs.routes.ts';
import { createRunsStore } from './runs.store.ts';

/** What the engine of workflows does for us. */
type Engine = {
  start: InstancesService['start'];
  listStatuses: (instanceIds: string[]) => Promise<Map<string, string>>;
  isFailing: (instanceId: string) => Promise<boolean>;
};

/** The parts of the quality of service, put together. */
export function createQos(deps: {
  pool: Database['pool'];
  graph: GraphService;
  configs: ConfigsService;
  settings: Pick<QosSettingsServices, 'settings' | 'fetch' | 'objectives'>;
  notifications: { emitter: Pick<Emitter, 'emit'>; wake: () => void };
  findTeam: (nameOrId: string) => Promise<string | undefined>;
  /** Ascending with time. */
  newId: () => string;
  clock: Clock;
}) {
  const { pool, graph, configs, settings, clock } = deps;
  // Runs are started by workflows and start workflows: whoever is first waits for the other.
  const engine = Promise.withResolvers<Engine>();
  const thread = createRollUpThread();
  const runs = createRunsStore(pool);
  const resultsStore = createResultsStore(pool);

  const compute = createComputeService({
    runs,
    getCurrentConfig: async (teamId) => (await configs.getCurrent(teamId)).config,
    checkConfig: configs.refuseFaulty,
    countsWholeDay: async (teamId) => (await settings.settings.get(teamId)).counts_whole_day,
    startWorkflow: async (request) => (await engine.promise).start(request),
    listStatuses: async (ids) => (await engine.promise).listStatuses(ids),
    newId: deps.newId,
    clock,
  });
  const results = createResultsService({
    store: resultsStore,
    listLabels: (teamId) => graph.listLabels(teamId),
    findConfig: async (teamId) => (await configs.findCurrent(teamId))?.config,
    clock,
  });
  const explanations = createExplanationService({
    store: createExplanationStore(pool),
    getNodeId: results.getNodeId,
    countedWholeDay: async (teamId, runId) => (await runs.find(teamId, runId))?.counts_whole_day ?? false,
    graph,
  });
  const tasks: Record<string, ServiceTask> = createRunTasks({
    runs,
    chunks: createChunkService({
      figures: createFiguresStore(pool),
      fetchRule: createFetchRule(settings.fetch),
      rollUp: createRollUpChunk({ graph, thread }),
    }),
    finish: createFinishService({
      store: createFinishStore(pool),
      listObjectives: (teamId) => settings.objectives.list(teamId),
      emit: (client, events) => deps.notifications.emitter.emit(client, events),
      wakeSender: () => deps.notifications.wake(),
      clock,
    }),
    compute,
    findTeam: deps.findTeam,
    listLabels: (teamId) => graph.listLabels(teamId),
    cutLabel: (teamId, label, every) => graph.labelChunks(teamId, label, every),
    findLabelValue: async (teamId, label, day) =>
      (await resultsStore.listLabelDays(teamId, label, day, day)).at(0)?.value ?? null,
    isFailing: async (id) => (await engine.promise).isFailing(id),
    clock,
  });

  return {
    tasks,
    describeMetrics: createQosMetrics({ store: resultsStore, objectives: settings.objectives }),
    useEngine: (workflows: Engine): void => engine.resolve(workflows),
    registerRoutes(app: Server): void {
      registerRunRoutes(app, {
        compute,
        results: resultsStore,
        getConfig: async (teamId, id) => (await configs.get(teamId, id)).config,
      });
      registerResultRoutes(app, { results, explanations });
    },
    close: () => thread.close(),
  };
}
