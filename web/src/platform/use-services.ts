import { useQueries } from '@tanstack/react-query';
import { type ApiError, api } from '../api/client.ts';
import { useApi } from '../api/hooks.ts';
import type { Service, ServiceType } from '../api/types.ts';

const refreshMs = 15_000;

/** All services of all types, or of one, by type and name. The interface gives them type by type. */
export function useServices(onlyType = ''): {
  types: ServiceType[];
  services: Service[];
  error: ApiError | null;
  isPending: boolean;
  refetch: () => void;
} {
  const types = useApi<ServiceType[]>('/services/types', { refreshMs });
  const wanted = (types.data ?? []).filter(({ type }) => onlyType === '' || type === onlyType);
  const lists = useQueries({
    queries: wanted.map(({ type }) => {
      const path = `/services/${encodeURIComponent(type)}`;
      return {
        queryKey: ['api', path],
        queryFn: ({ signal }: { signal: AbortSignal }) => api.get<Service[]>(path, signal),
        refetchInterval: refreshMs,
      };
    }),
  });
  const failed = lists.find((list) => list.error && !list.data);
  return {
    types: types.data ?? [],
    services: lists.flatMap((list) => list.data ?? []),
    error: types.data ? ((failed?.error as ApiError | undefined) ?? null) : types.error, // the client throws nothing else
    isPending: types.isPending || lists.some((list) => list.isPending),
    refetch: () => {
      void types.refetch();
      for (const list of lists) void list.refetch();
    },
  };
}
