import { z } from 'zod';
import { labelName, seconds } from './graph.schemas.ts';

/** What the page's explorer asks for. */

const count = z.number().int();

export const foundNodes = z
  .object({
    nodes: z.array(z.object({ label: labelName, name: z.string() })),
    more: z.boolean().meta({ description: 'There are more than were asked for' }),
  })
  .meta({ id: 'FoundNodes' });

export const neighbourPage = z
  .object({
    groups: z
      .array(z.object({ label: labelName, count }))
      .meta({ description: 'All labels that have neighbours, and how many' }),
    nodes: z.array(
      z.object({
        label: labelName,
        name: z.string(),
        from: seconds.nullable(),
        to: seconds.nullable(),
        periods: z.array(seconds).meta({ description: 'Of the relationship: from, to, from, to, …' }),
        old: z.boolean().meta({ description: 'True when it or the relationship is not active on that day' }),
      }),
    ),
  })
  .meta({ id: 'NeighbourPage' });

export const impactTotals = z
  .object({
    count: count.meta({ description: 'How many nodes break with it' }),
    active: count.meta({ description: 'How many of those are active' }),
    groups: z.array(z.object({ label: labelName, count, active: count })),
  })
  .meta({ id: 'ImpactTotals' });

export const graphOverview = z
  .object({
    version: count,
    nodes_count: count.meta({
      description: 'How many nodes there are in all; beyond the limit, the most connected are here',
    }),
    relationships_count: count.meta({
      description:
        'How many relationships there are between these nodes; beyond twice the limit, some of them are here, taken evenly',
    }),
    labels: z.array(labelName),
    nodes: z.object({
      label: z.array(count).meta({ description: 'Of each node, the place of its label in `labels`' }),
      name: z.array(z.string()),
    }),
    relationships: z.array(count).meta({ description: 'source, target, source, target, … as places in `nodes`' }),
  })
  .meta({ id: 'GraphOverview' });

export type FoundNodes = z.infer<typeof foundNodes>;
export type NeighbourPage = z.infer<typeof neighbourPage>;
export type ImpactTotals = z.infer<typeof impactTotals>;
export type GraphOverview = z.infer<typeof graphOverview>;
