import { withQuery } from '../../api/client.ts';
import type { NodeRef } from '../node-key.ts';

/** One day of a node; null: nothing was known. */
export type QosDay = { day: string; value: number | null; coverage: number };
export type QosHistory = { data: QosDay[] };

export const historyUrl = (teamId: string, node: NodeRef, start: string, end: string): string =>
  withQuery(`/v1/teams/${teamId}/qos`, { ...node, start, end });

export const percent = (value: number | null): string =>
  value === null ? 'no data' : `${value.toLocaleString(undefined, { maximumFractionDigits: 3 })} %`;
