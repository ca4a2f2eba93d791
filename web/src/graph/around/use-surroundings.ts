import { keepPreviousData, useQueries } from '@tanstack/react-query';
import { type ApiError, api } from '../../api/client.ts';
import { type Opening, printOpening } from '../explorer-state.ts';
import { type NeighbourPage, neighboursUrl, type When } from '../graph-api.ts';
import { drawnPerLabel } from './drawing-model.ts';

/** The first neighbours of every opening, each asked for once. */
export function useSurroundings(teamId: string, openings: readonly Opening[], when: When) {
  return useQueries({
    queries: openings.map(({ node, direction }) => {
      const url = neighboursUrl(teamId, node, direction, when, { perLabel: drawnPerLabel, limit: 200 });
      return {
        queryKey: ['api', url],
        queryFn: ({ signal }: { signal: AbortSignal }) => api.get<NeighbourPage>(url, signal),
        placeholderData: keepPreviousData,
      };
    }),
    combine: (results) => ({
      pages: new Map(openings.map((opening, place) => [printOpening(opening), results[place]?.data])),
      error: (results.find(({ error }) => error !== null)?.error ?? null) as ApiError | null, // the client throws nothing else
      isPending: results.some(({ isPending }) => isPending),
      refetch: () => void Promise.all(results.map(({ refetch }) => refetch())),
    }),
  });
}
