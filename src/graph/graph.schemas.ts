import { z } from 'zod';
import { timestamp } from '../http/schemas.ts';

export const seconds = z.number().int();
export const labelName = z.string().meta({ pattern: '^[A-Z][A-Za-z0-9]*$' });

export const labelList = z.array(
  z
    .object({
      name: labelName,
      nodes_count: z.number().int(),
      qos_query: z.string().nullable().meta({ description: 'Null where the configuration has none' }),
    })
    .meta({ id: 'Label' }),
);

export const nodeNames = z.array(z.string());

export const dependency = z
  .object({
    name: z.string(),
    old: z.boolean().optional().meta({ description: 'True when it or the relationship is not active on that day' }),
    periods: z.array(seconds).optional().meta({ description: 'from, to, from, to, …; odd: still open; empty: always' }),
  })
  .meta({ id: 'Dependency' });

export const nodeWithDependencies = z
  .object({
    name: z.string(),
    from: seconds.optional(),
    to: seconds.optional(),
    dependencies: z.record(z.string(), z.array(dependency)).optional(),
    graph: z
      .object({
        nodes: z.array(
          z.object({
            id: z.number().int(),
            label: z.string().meta({ description: 'Name of the node' }),
            title: labelName,
          }),
        ),
        relationships: z.array(
          z.object({
            id: z.number().int(),
            from: z.number().int(),
            to: z.number().int(),
            arrows: z.literal('to'),
            periods: z.array(seconds),
          }),
        ),
      })
      .optional(),
  })
  .meta({ id: 'NodeWithDependencies' });

export const impactedList = z.array(
  z
    .object({
      name: z.string(),
      label: labelName.optional().meta({ description: 'Present when no impactedLabel was asked for' }),
      active: z.boolean(),
      from: seconds.nullable(),
      to: seconds.nullable(),
    })
    .meta({ id: 'ImpactedNode' }),
);

export const count = z.object({ count: z.number().int() }).meta({ id: 'Count' });

export const ingestResult = z
  .object({
    accepted: z.number().int(),
    unchanged: z.number().int().meta({ description: 'Accepted messages that changed nothing' }),
    rejected: z.number().int(),
    version: z.number().int().meta({ description: 'Send it as X-Graph-Version to insist on at least this state' }),
    errors: z.array(z.object({ line: z.number().int(), message: z.string() })).meta({ description: 'The first 100' }),
  })
  .meta({ id: 'IngestResult' });

export const teamConfig = z
  .record(z.string().regex(/^[A-Z][A-Za-z0-9]*$/), z.object({ qos: z.string().max(10_000) }), {
    error: (issue) =>
      issue.code === 'invalid_key' ? 'must be a label: a capital letter, then letters and digits' : undefined,
  })
  .refine((config) => Object.keys(config).length <= 1000, 'must have at most 1,000 labels')
  .meta({
    id: 'TeamConfig',
    example: { Website: { qos: 'operation.AND[Database, Cache]' }, Database: { qos: 'rule.Uptime' } },
  });

export const configVersion = z
  .object({
    id: z.uuid(),
    number: z.number().int().meta({ description: 'Counts the versions of a team from 1' }),
    current: z.boolean(),
    config: teamConfig,
    created_at: timestamp,
    created_by: z.string(),
  })
  .meta({ id: 'ConfigVersion' });
export const configList = z.object({ configs: z.array(configVersion) });
