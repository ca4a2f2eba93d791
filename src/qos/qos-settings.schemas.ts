import { z } from 'zod';
import { lineOfText, longText, timestamp } from '../http/schemas.ts';
import { settingValue } from '../platform/integrations/models.schemas.ts';
import { parseThreshold } from './threshold.ts';

const label = z
  .string()
  .max(255)
  .regex(/^[A-Z][A-Za-z0-9]*$/, 'must be a label: a capital letter, then letters and digits');

const variables = z
  .record(
    z.string().regex(/^[A-Za-z][\w-]{0,62}$/),
    z.union([z.literal(''), longText(2000)], 'must be text of at most 2000 characters without control characters'),
    {
      error: (issue) =>
        issue.code === 'invalid_key'
          ? 'must be the name of a variable: a letter, then letters, digits, "_", "-"'
          : undefined,
    },
  )
  .refine((all) => Object.keys(all).length <= 100, 'must have at most 100 variables')
  .meta({ description: 'Found in queries as {{ team.X }}, {{ rule.X }}, {{ source.X }}, {{ check.X }}' });

const description = z.union([z.literal(''), longText(4000)]);
const named = z.object({ id: z.uuid(), name: z.string() });

export const qosSettings = z
  .object({
    variables,
    counts_whole_day: z.boolean().meta({
      description: 'A dependency counts all day, however short its relationship was active on it (the way of DepC)',
    }),
  })
  .meta({ id: 'QosSettings' });
export const qosSettingsChange = qosSettings.partial();

const config = z.record(z.string(), settingValue);
export const source = z
  .object({
    id: z.uuid(),
    name: z.string(),
    model: z.string(),
    config: config.meta({ description: 'Passwords are shown as "**********"' }),
    variables,
    created_at: timestamp,
    updated_at: timestamp,
    created_by: z.string(),
  })
  .meta({ id: 'Source' });
export const sourceList = z.object({ sources: z.array(source) });
export const newSource = z.object({
  name: lineOfText(100),
  model: z.string(),
  config: config.default({}),
  variables: variables.default({}),
});
export const sourceChange = z.object({
  name: lineOfText(100).optional(),
  model: z.string().optional(),
  config: config.optional().meta({ description: 'The whole configuration; "**********" keeps a password as it is' }),
  variables: variables.optional(),
});

const ruleName = lineOfText(100).refine((name) => !name.includes("'"), 'must not contain an apostrophe');
export const rule = z
  .object({
    id: z.uuid(),
    name: z.string(),
    description: z.string(),
    variables,
    checks: z.array(named),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Rule' });
export const ruleList = z.object({ rules: z.array(rule) });
export const newRule = z.object({
  name: ruleName,
  description: description.default(''),
  variables: variables.default({}),
});
export const ruleChange = z.object({
  name: ruleName.optional(),
  description: description.optional(),
  variables: variables.optional(),
});
export const ruleChecks = z.object({
  checks: z.array(z.string()).max(100).meta({ description: 'Ids or names of checks; these and no others' }),
});

const threshold = z
  .union([z.number(), z.string().max(100)])
  .superRefine((given, context) => {
    const parsed = parseThreshold(given);
    if (typeof parsed === 'string') context.addIssue({ code: 'custom', message: parsed });
  })
  .meta({ description: 'A number T: the value is at most T. Text "low:high": both included, either may be left out' });

export const check = z
  .object({
    id: z.uuid(),
    name: z.string(),
    description: z.string(),
    source: z.uuid(),
    source_name: z.string(),
    query: z.string(),
    threshold: z.union([z.number(), z.string()]),
    fill: z.boolean(),
    variables,
    rules: z.array(named),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Check' });
export const checkList = z.object({ checks: z.array(check) });

const queryText = z.union([z.literal(''), longText(20_000)]).meta({
  description: "In the source's own language, with placeholders; none where measurements are pushed",
});
export const newCheck = z.object({
  name: lineOfText(100),
  description: description.default(''),
  source: z.string().meta({ description: 'Id or name of a source' }),
  query: queryText.default(''),
  threshold,
  fill: z.boolean().default(true).meta({
    description: 'The first value holds since midnight and the last until the end of the day',
  }),
  variables: variables.default({}),
});
export const checkChange = z.object({
  name: lineOfText(100).optional(),
  description: description.optional(),
  source: z.string().optional(),
  query: queryText.optional(),
  threshold: threshold.optional(),
  fill: z.boolean().optional(),
  variables: variables.optional(),
});

export const measurementsResult = z
  .object({
    accepted: z.number().int(),
    rejected: z.number().int(),
    errors: z.array(z.object({ line: z.number().int(), message: z.string() })).meta({ description: 'The first 100' }),
  })
  .meta({ id: 'MeasurementsResult' });

const unixSeconds = z.number().int().min(0).max(253_402_300_799);
export const execution = z
  .object({ label, name: lineOfText(1024), start: unixSeconds, end: unixSeconds })
  .refine(({ start, end }) => end > start && end - start <= 86_400, {
    path: ['end'],
    message: 'must be 1 to 86,400 seconds after start',
  });

const percent = z.number().nullable();
const spans = z.array(
  z.object({ from: z.number().int(), to: z.number().int(), state: z.enum(['true', 'false', 'unknown']) }),
);
const figure = {
  value: percent.meta({ description: 'Percent of the known seconds that were good; null where nothing is known' }),
  coverage: z.number().meta({ description: 'Percent of the range that was measured' }),
  timeline: spans.meta({ description: 'Unix seconds; each span ends where the next begins' }),
  timeline_cut: z.boolean(),
};
export const executionResult = z
  .object({
    rule: named,
    label: z.string(),
    name: z.string(),
    start: z.number().int(),
    end: z.number().int(),
    ...figure,
    checks: z.array(
      z.object({
        id: z.uuid(),
        name: z.string(),
        threshold: z.union([z.number(), z.string()]),
        query: z.string().nullable().meta({ description: 'What was asked, filled in; null where nothing was' }),
        failure: z.string().nullable().meta({ description: 'Why nothing is known' }),
        ...figure,
        series: z.array(
          z.object({
            labels: z.record(z.string(), z.string()),
            points_count: z.number().int(),
            points: z.array(z.tuple([z.number(), z.number()])).meta({ description: 'The first 2,000 of all series' }),
          }),
        ),
        series_count: z.number().int(),
      }),
    ),
  })
  .meta({ id: 'RuleExecution' });

export const objectiveChange = z.object({
  target: z.number().min(0).max(100).meta({ description: 'Percent' }),
  window_days: z.number().int().min(1).max(366).default(30),
});
export const objective = z
  .object({
    label: z.string(),
    target: z.number(),
    window_days: z.number().int(),
    updated_at: timestamp,
    budget: z.object({
      from: z.string(),
      to: z.string(),
      known_days: z.number().int(),
      value: percent,
      met: z.boolean().nullable(),
      allowed_minutes: z.number(),
      spent_minutes: z.number(),
      left_percent: percent.meta({ description: 'Below 0: overspent' }),
      burn_rate: z.object({ last_day: percent, last_week: percent, window: percent }).meta({
        description: '1 uses up exactly the budget by the end of a window',
      }),
    }),
  })
  .meta({ id: 'Objective' });
export const objectiveList = z.object({ objectives: z.array(objective) });
export const objectiveLabel = label;
