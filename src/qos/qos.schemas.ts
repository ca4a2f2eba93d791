import { z } from 'zod';
import { teamConfig } from '../graph/graph.schemas.ts';
import { isUuid, lineOfText, queryText, timestamp } from '../http/schemas.ts';
import { isDay } from './day.ts';
import { runStates } from './run-state.ts';

const dayRule = 'must be a day such as 2026-11-14';
const givenDay = z.string().refine(isDay, dayRule).meta({ format: 'date', description: 'YYYY-MM-DD in UTC' });
const day = z.string().meta({ format: 'date', description: 'YYYY-MM-DD in UTC' });
export const queryDay = (description: string) =>
  z.string('must be given once').refine(isDay, dayRule).meta({ format: 'date', description });

export const labelName = z
  .string()
  .regex(/^[A-Z][A-Za-z0-9]*$/, 'must be a label: a capital letter, then letters and digits');
export const queryLabel = labelName.meta({ description: 'Label' });
export const queryName = queryText('Name of the node').refine((text) => text !== '', 'must not be empty');

const percent = z.number().nullable().meta({ description: 'Percent with three decimals; null: nothing was known' });
const coverage = z.number().meta({ description: 'Percent of the day that was measured' });
const seconds = z.int().meta({ description: 'Seconds' });

export const computeBody = z
  .strictObject({
    day: givenDay.optional(),
    start: givenDay.optional(),
    end: givenDay.optional(),
    labels: z
      .array(labelName)
      .min(1)
      .max(1000)
      .optional()
      .meta({ description: 'These and what they need; all unless told' }),
    config: z
      .union([z.string().toLowerCase().refine(isUuid, 'must be the id of a configuration'), teamConfig])
      .optional()
      .meta({ description: 'Only with dry_run: the id of a version of the configuration, or a whole one' }),
    dry_run: z.boolean().default(false).meta({ description: 'Show what would change, and change nothing' }),
  })
  .refine(
    ({ day: one, start, end }) => (one === undefined) === (start !== undefined && end !== undefined),
    'give either day, or start and end',
  );

export const startedRuns = z.object({
  runs: z.array(z.object({ id: z.string(), day, workflow: z.string().meta({ description: 'Id of the instance' }) })),
});

export const runSummary = z.object({
  id: z.string(),
  day,
  state: z.enum(runStates),
  dry_run: z.boolean(),
  labels: z.array(z.string()),
  workflow: z.string().nullable(),
  started_at: timestamp,
  finished_at: timestamp.nullable(),
  progress: z.object({ chunks: z.int(), done: z.int(), nodes: z.int() }),
});
export const runList = z.object({ runs: z.array(runSummary) });
export const runDetail = runSummary.extend({
  config: z.record(z.string(), z.object({ qos: z.string() })),
  counts_whole_day: z.boolean(),
  changes: z
    .object({
      labels: z.array(z.object({ label: z.string(), before: percent, after: percent, nodes_changed: z.int() })),
      nodes: z.array(z.object({ label: z.string(), name: z.string(), before: percent, after: percent })),
    })
    .optional()
    .meta({ description: 'Of a trial: what would change, with the nodes that differ most' }),
});

export const history = z.object({
  label: z.string(),
  name: z.string().optional(),
  start: day,
  end: day,
  data: z.array(
    z.object({
      day,
      value: percent,
      coverage,
      nodes: z.int().optional(),
      unknown_nodes: z.int().optional(),
      query: z.string().optional(),
    }),
  ),
});

export const worstNodes = z.object({
  label: z.string(),
  day: day.nullable(),
  data: z.array(z.object({ name: z.string(), value: z.number(), coverage })),
});

export const statistics = z.object({
  start: day,
  end: day,
  nodes: z.int(),
  labels: z.array(
    z.object({
      label: z.string(),
      nodes_count: z.int(),
      qos_query: z.string().nullable(),
      days: z.int().meta({ description: 'Days of the range with a figure' }),
      average: percent,
      minimum: percent,
      maximum: percent,
      latest: z.object({ day, value: percent, nodes: z.int(), unknown_nodes: z.int() }).nullable(),
    }),
  ),
});

const spans = z.array(z.tuple([z.int(), z.int()])).meta({ description: 'Unix seconds, from and up to' });
const lost = {
  value: percent,
  coverage,
  cost_seconds: seconds.meta({ description: 'Seconds that it cost what stands above it' }),
  spans,
  spans_left_out: z.int(),
};
export const explainedCheck = z.object({
  ...lost,
  check: lineOfText(1000),
  points: z.int(),
  failure: z.string().nullable(),
});

export type ExplainedNode = {
  label: string;
  name: string;
  query: string | null;
  value: number | null;
  coverage: number;
  counted_seconds: number;
  cost_seconds: number;
  spans: [number, number][];
  spans_left_out: number;
  checks?: z.infer<typeof explainedCheck>[] | undefined;
  dependencies?: ExplainedNode[] | undefined;
  dependencies_left_out?: number | undefined;
  is_cut?: boolean | undefined;
};
export const explainedNode: z.ZodType<ExplainedNode> = z
  .lazy(() =>
    z.object({
      label: z.string(),
      name: z.string(),
      query: z.string().nullable(),
      counted_seconds: seconds.meta({ description: 'Seconds in which it counted for what stands above it' }),
      ...lost,
      checks: z.array(explainedCheck).optional(),
      dependencies: z.array(explainedNode).optional().meta({ description: 'Those that cost most come first' }),
      dependencies_left_out: z.int().optional(),
      is_cut: z.boolean().optional().meta({ description: 'There is more below it than is shown' }),
    }),
  )
  .meta({ id: 'ExplainedNode' });
export const explanation = z.object({ day, computed_by: z.string(), node: explainedNode });
