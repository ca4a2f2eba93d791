import { useQuery } from '@tanstack/react-query';
import { ApiError } from '../../api/client.ts';
import { overviewUrl } from '../graph-api.ts';
import type { FromWorker, WholeGraph } from './whole.worker.ts';

/** As many nodes as a drawing can use; the service picks the most connected when there are more. */
const limit = 100_000;

export const useWholeGraph = (teamId: string) =>
  useQuery<WholeGraph, ApiError>({
    queryKey: ['whole graph', teamId],
    queryFn: ({ signal }) => load(overviewUrl(teamId, limit), signal),
    staleTime: 60_000,
    gcTime: 60_000,
    // Megabytes of arrays are not worth comparing with the former ones.
    structuralSharing: false,
  });

function load(url: string, signal: AbortSignal): Promise<WholeGraph> {
  const worker = new Worker(new URL('./whole.worker.ts', import.meta.url), { type: 'module' });
  return new Promise<WholeGraph>((resolve, reject) => {
    worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
      if ('graph' in data) resolve(data.graph);
      else reject(new ApiError(data.status, 'refused', data.message));
    });
    worker.addEventListener('error', () => reject(new ApiError(0, 'broken', 'The drawing could not be made.')));
    signal.addEventListener('abort', () => reject(new DOMException('No longer wanted', 'AbortError')));
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none
    worker.postMessage(url);
  }).finally(() => worker.terminate());
}
