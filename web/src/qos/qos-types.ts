/** What the service answers about quality, told by its own schemas. */
import type { z } from 'zod';
import type { configList, configVersion } from '../../../src/graph/graph.schemas.ts';
import type {
  explainedCheck,
  explanation,
  history,
  runDetail,
  runSummary,
  startedRuns,
  statistics,
  worstNodes,
} from '../../../src/qos/qos.schemas.ts';
import type {
  check,
  executionResult,
  objective,
  qosSettings,
  rule,
  source,
} from '../../../src/qos/qos-settings.schemas.ts';

export type { ExplainedNode } from '../../../src/qos/qos.schemas.ts';
export type ExplainedCheck = z.infer<typeof explainedCheck>;
export type Explanation = z.infer<typeof explanation>;
export type History = z.infer<typeof history>;
export type Run = z.infer<typeof runSummary>;
export type RunDetail = z.infer<typeof runDetail>;
export type RunChanges = NonNullable<RunDetail['changes']>;
export type StartedRuns = z.infer<typeof startedRuns>;
export type Statistics = z.infer<typeof statistics>;
export type LabelStatistics = Statistics['labels'][number];
export type WorstNodes = z.infer<typeof worstNodes>;
export type Check = z.infer<typeof check>;
export type Rule = z.infer<typeof rule>;
export type Source = z.infer<typeof source>;
export type Execution = z.infer<typeof executionResult>;
export type Objective = z.infer<typeof objective>;
export type QosSettings = z.infer<typeof qosSettings>;
export type ConfigVersion = z.infer<typeof configVersion>;
export type ConfigList = z.infer<typeof configList>;
export type TeamConfig = ConfigVersion['config'];
