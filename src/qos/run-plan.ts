import type { TeamConfig } from './config-check.ts';
import { labelsOf, parseQuery, type QosQuery } from './query.ts';

export type StagedLabel = { label: string; query: QosQuery; stage: number };
export type PlannedChunk = { stage: number; label: string; fromNode: number; toNode: number | null };

/**
 * The labels of a configuration in the order in which they can be computed. Rules need nothing and come first; everything else comes
 * one stage after the last of the labels that it names.
 *
 *   Web: AND[Api, Disk]   Api: AND[Disk]   Disk: rule.Up      Disk 0, Api 1, Web 2
 */
export function stageLabels(config: TeamConfig): StagedLabel[] {
  const staged = new Map<string, StagedLabel>();
  const visit = (label: string): number => {
    const known = staged.get(label);
    if (known) return known.stage;
    const query = queryOf(config, label);
    // Nothing is known of a label without a query, so nobody has to wait for it.
    const below = labelsOf(query).filter((one) => Object.hasOwn(config, one));
    const stage = query.kind === 'rule' ? 0 : 1 + Math.max(0, ...below.map(visit));
    staged.set(label, { label, query, stage });
    return stage;
  };
  for (const label of Object.keys(config)) visit(label);
  return [...staged.values()].toSorted((a, b) => a.stage - b.stage || (a.label < b.label ? -1 : 1));
}

/** The part of a configuration that the given labels need, they themselves included. */
export function narrowConfig(config: TeamConfig, labels: readonly string[]): TeamConfig {
  const wanted = new Set<string>();
  const open = [...labels];
  for (let label = open.pop(); label !== undefined; label = open.pop()) {
    if (wanted.has(label) || !Object.hasOwn(config, label)) continue;
    wanted.add(label);
    open.push(...labelsOf(queryOf(config, label)));
  }
  return Object.fromEntries(Object.entries(config).filter(([label]) => wanted.has(label)));
}

export function queryOf(config: TeamConfig, label: string): QosQuery {
  const parsed = parseQuery(config[label].qos);
  if ('fault' in parsed) throw new Error(`The query of ${label} cannot be read: ${parsed.fault.message}`);
  return parsed.query;
}

/** Sources are asked for few nodes at a time, so that a failure costs little; roll-ups take many. */
const nodesPerChunk = { rule: 200, other: 5000 };
/** The list of a workflow has its limits; with more nodes the chunks grow. */
const maxChunks = 5000;

/** How many nodes of each label make a chunk. */
export function chunkSizes(labels: { query: QosQuery; nodes: number }[]): number[] {
  const usual = labels.map(({ query }) => nodesPerChunk[query.kind === 'rule' ? 'rule' : 'other']);
  const chunks = labels.reduce((sum, { nodes }, index) => sum + nodes / usual[index], 0);
  const growth = Math.max(1, chunks / maxChunks);
  return usual.map((size) => Math.ceil(size * growth));
}
