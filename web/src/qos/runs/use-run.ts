import { useState } from 'react';
import { useApi } from '../../api/hooks.ts';
import type { RunDetail } from '../qos-types.ts';
import { isOpen } from './run-state.tsx';

const soonMs = 700;

/** A run, asked for again until it has ended. Null asks nothing. */
export function useRun(teamId: string, runId: string | null) {
  const [refreshMs, setRefreshMs] = useState<number>();
  const query = useApi<RunDetail>(runId === null ? null : `/v1/teams/${teamId}/qos/runs/${runId}`, { refreshMs });
  const wanted = query.data && isOpen(query.data) ? soonMs : undefined;
  if (wanted !== refreshMs) setRefreshMs(wanted);
  return query;
}
