import type { z } from 'zod';
import type { FoundNodes, GraphOverview, ImpactTotals, NeighbourPage } from '../../../src/graph/explore.schemas.ts';
import type { impactedList, labelList, nodeWithDependencies } from '../../../src/graph/graph.schemas.ts';
import { withQuery } from '../api/client.ts';
import type { Direction, NodeRef } from './node-key.ts';

export type { FoundNodes, GraphOverview, ImpactTotals, NeighbourPage };
export type Label = z.infer<typeof labelList>[number];
export type ImpactedNode = z.infer<typeof impactedList>[number];
export type NodeAlone = z.infer<typeof nodeWithDependencies>;
export type NeighbourNode = NeighbourPage['nodes'][number];

/** The addresses of the service that the explorer asks. */
const graphPath = (teamId: string, part: string): string => `/v1/teams/${teamId}/graph/${part}`;
const ofNode = (teamId: string, { label, name }: NodeRef): string =>
  `/v1/teams/${teamId}/labels/${label}/nodes/${encodeURIComponent(name)}`;

export const labelsUrl = (teamId: string): string => `/v1/teams/${teamId}/labels`;
export const searchUrl = (teamId: string, q: string, limit: number): string =>
  withQuery(graphPath(teamId, 'search'), { q, limit });
export const overviewUrl = (teamId: string, limit: number): string =>
  withQuery(graphPath(teamId, 'overview'), { limit });
export const nodeUrl = (teamId: string, node: NodeRef): string => withQuery(ofNode(teamId, node), { alone: true });
export const impactUrl = (teamId: string, node: NodeRef, ts: number | undefined): string =>
  withQuery(graphPath(teamId, 'impact'), { ...node, ts });

export type When = { day: string; inactive: boolean };

export const neighboursUrl = (
  teamId: string,
  node: NodeRef,
  direction: Direction,
  { day, inactive }: When,
  page: { neighbourLabel?: string | undefined; perLabel?: number; skip?: number; limit: number },
): string =>
  withQuery(graphPath(teamId, 'neighbours'), {
    ...node,
    direction,
    day,
    inactive: inactive || undefined,
    neighbour_label: page.neighbourLabel,
    per_label: page.perLabel,
    skip: page.skip,
    limit: page.limit,
  });

type ImpactQuestion = { ts: number | undefined; label: string | undefined; inactive: boolean };

export const impactedUrl = (
  teamId: string,
  node: NodeRef,
  { ts, label, inactive }: ImpactQuestion,
  page: { skip: number; limit: number },
): string => withQuery(`${ofNode(teamId, node)}/impacted`, { impactedLabel: label, ts, inactive, ...page });

export const impactedAllUrl = (teamId: string, node: NodeRef, { ts, label, inactive }: ImpactQuestion): string =>
  withQuery(`${ofNode(teamId, node)}/impacted/all`, { impactedLabel: label, ts, inactive });

export const exportFormats = ['ndjson', 'dot', 'mermaid', 'graphml', 'cytoscape'] as const;

/** With a node, only what lies around it. */
export const exportUrl = (
  teamId: string,
  format: (typeof exportFormats)[number],
  around?: { node: NodeRef; direction: Direction | 'both'; depth: number },
): string =>
  withQuery(graphPath(teamId, 'export'), {
    format,
    ...(around ? { ...around.node, direction: around.direction, depth: around.depth } : {}),
  });
