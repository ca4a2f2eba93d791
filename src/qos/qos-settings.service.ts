import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { Database, Log } from '../db/open.ts';
import type { IntegrationsService } from '../platform/integrations/integrations.service.ts';
import type { MetricSourcesService } from '../platform/integrations/metric-sources.service.ts';
import { createChecksService } from './checks.service.ts';
import { createChecksStore } from './checks.store.ts';
import type { TeamConfig } from './config-check.ts';
import { createFetchService } from './fetch.service.ts';
import { createFetchStore } from './fetch.store.ts';
import { createMeasurementsService } from './measurements.service.ts';
import { createMeasurementsStore } from './measurements.store.ts';
import { createObjectivesService } from './objectives.service.ts';
import { createObjectivesStore } from './objectives.store.ts';
import { repeatQuietly } from './repeat-quietly.ts';
import { createRuleExecution } from './rule-execution.service.ts';
import { createRulesService } from './rules.service.ts';
import { createRulesStore } from './rules.store.ts';
import { createSettingsService } from './settings.service.ts';
import { createSettingsStore } from './settings.store.ts';
import { createSourceCalls } from './source-calls.ts';
import { createSourcesService } from './sources.service.ts';
import { createSourcesStore } from './sources.store.ts';

const sweepEveryMs = 600_000;

export type QosSettingsServices = ReturnType<typeof createQosSettings>;

/** What the quality of service is made of, put together: sources, checks, rules, measurements, objectives. */
export function createQosSettings(deps: {
  database: Pick<Database, 'pool' | 'kind'>;
  integrations: Pick<IntegrationsService, 'create' | 'update' | 'delete' | 'openSource'>;
  metricSources: MetricSourcesService;
  findCurrentConfig: (teamId: string) => Promise<TeamConfig | undefined>;
  /** How long measurements are kept. */
  keepDays: number;
  clock: Clock;
  log: Log;
}) {
  const { integrations, metricSources, findCurrentConfig, clock } = deps;
  const { pool } = deps.database;
  const checksStore = createChecksStore(pool);
  const settings = createSettingsService({ store: createSettingsStore(pool), checks: checksStore });
  const sources = createSourcesService({
    store: createSourcesStore(pool),
    checks: checksStore,
    integrations,
    metricSources,
  });
  const rules = createRulesService({ store: createRulesStore(pool), checks: checksStore, findCurrentConfig });
  const checks = createChecksService({ store: checksStore, settings, sources, rules });
  const objectives = createObjectivesService({ store: createObjectivesStore(pool), clock });
  const measurementsStore = createMeasurementsStore(pool);
  const measurements = createMeasurementsService({
    store: measurementsStore,
    checks: checksStore,
    metricSources,
    keepDays: deps.keepDays,
    clock,
  });
  const fetch = createFetchService({
    store: createFetchStore(pool),
    measurements: measurementsStore,
    metricSources,
    integrations,
    calls: createSourceCalls({
      clock: () => performance.now(),
      random: Math.random,
      pause: (ms, signal) => sleep(ms, undefined, { signal }),
    }),
  });
  const execution = createRuleExecution({ fetch });
  const stopSweeps = repeatQuietly(
    sweepEveryMs,
    () => measurements.sweep(),
    (error) => deps.log.warn({ err: error }, 'old measurements are deleted later'),
  );

  return { settings, sources, rules, checks, objectives, measurements, fetch, execution, close: stopSweeps };
}
