import {
  keepPreviousData,
  QueryClient,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { type Answer, ApiError, api } from './client.ts';

const retries = 2;

/** Refusals are final; only a service that did not answer, or failed, is asked again. */
const isWorthAnotherTry = (count: number, error: Error): boolean =>
  count < retries && error instanceof ApiError && (error.status === 0 || error.status >= 500);

export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: { queries: { staleTime: 5_000, retry: isWorthAnotherTry }, mutations: { retry: false } },
  });

export type ApiOptions = {
  /** Ask again so often while somebody looks. */
  refreshMs?: number | undefined;
  /** While the next address is asked, show what the former one answered: for pages and filters. */
  keepPrevious?: boolean;
  staleMs?: number;
};

/** `GET path` as JSON. Null asks nothing: something that is needed first is not known yet. */
export function useApi<T>(path: string | null, options: ApiOptions = {}): UseQueryResult<T, ApiError> {
  return useQuery<T, ApiError>({
    queryKey: ['api', path],
    queryFn: ({ signal }) => api.get<T>(path ?? '', signal),
    ...queryOptions(path, options),
  });
}

/** The same with the answer's headers, such as `x-total-count`. */
export function useApiWhole<T>(path: string | null, options: ApiOptions = {}): UseQueryResult<Answer<T>, ApiError> {
  return useQuery<Answer<T>, ApiError>({
    queryKey: ['api', path, 'whole'],
    queryFn: ({ signal }) => api.getWhole<T>(path ?? '', signal),
    ...queryOptions(path, options),
  });
}

function queryOptions(path: string | null, { refreshMs, keepPrevious, staleMs }: ApiOptions) {
  return {
    enabled: path !== null,
    ...(refreshMs === undefined ? {} : { refetchInterval: refreshMs }),
    ...(staleMs === undefined ? {} : { staleTime: staleMs }),
    ...(keepPrevious ? { placeholderData: keepPreviousData } : {}),
  };
}

/**
 * A change. What it makes untrue is named by the beginnings of addresses, and asked again:
 *
 *     const remove = useChange((id: string) => api.delete(`/v1/news/${id}`), ['/v1/news']);
 */
export function useChange<TInput, TAnswer>(
  change: (input: TInput) => Promise<TAnswer>,
  makesStale: readonly string[] = [],
): UseMutationResult<TAnswer, ApiError, TInput> {
  const refresh = useRefresh();
  return useMutation<TAnswer, ApiError, TInput>({
    mutationFn: change,
    onSuccess: () => refresh(...makesStale),
  });
}

/** Asks again for everything whose address begins so. */
export function useRefresh(): (...beginnings: string[]) => Promise<void> {
  const client = useQueryClient();
  return (...beginnings) =>
    client.invalidateQueries({
      predicate: ({ queryKey: [kind, path] }) =>
        kind === 'api' && typeof path === 'string' && beginnings.some((beginning) => path.startsWith(beginning)),
    });
}
