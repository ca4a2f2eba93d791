import { SourceFailure } from '../platform/integrations/sources/metric-source.ts';

type Source = {
  running: number;
  waiting: Array<() => void>;
  /** Calls in a row that failed with all their tries. */
  failures: number;
  /** Until then nobody calls it. */
  restsUntil: number;
};

export type SourceCalls = ReturnType<typeof createSourceCalls>;

const failuresBeforeRest = 5;
const restMs = 15_000;
const firstPauseMs = 500;

/**
 * Calls to sources, in turns: so many at once as the source allows, however many runs ask. What fails for a reason that may pass is tried again
 * after a pause. A source that failed several times in a row is left alone for a while, so that a day of a million nodes does not wait for a
 * million time-outs.
 */
export function createSourceCalls(deps: {
  clock: () => number;
  random: () => number;
  pause: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}) {
  const sources = new Map<string, Source>();

  async function takeTurn<Result>(
    key: string,
    limit: number,
    work: (source: Source) => Promise<Result>,
  ): Promise<Result> {
    const source = sources.get(key) ?? { running: 0, waiting: [], failures: 0, restsUntil: 0 };
    sources.set(key, source);
    // Whoever ends hands the turn on, so nobody overtakes those who wait.
    if (source.running < limit) source.running++;
    else await new Promise<void>((resolve) => source.waiting.push(resolve));
    try {
      return await work(source);
    } finally {
      const next = source.waiting.shift();
      if (next) next();
      else if (--source.running === 0 && source.failures === 0) sources.delete(key);
    }
  }

  return {
    /** Rejects with the last failure; an abort rejects with its own reason. */
    call<Result>(
      key: string,
      { limit, tries, signal }: { limit: number; tries: number; signal?: AbortSignal | undefined },
      ask: () => Promise<Result>,
    ): Promise<Result> {
      return takeTurn(key, limit, async (source) => {
        for (let attempt = 1; ; attempt++) {
          signal?.throwIfAborted();
          if (deps.clock() < source.restsUntil) {
            throw new SourceFailure(
              'The source failed several times in a row and is not asked again for some seconds.',
            );
          }
          try {
            const result = await ask();
            source.failures = 0;
            return result;
          } catch (error) {
            signal?.throwIfAborted();
            // It answered, only not what we asked for.
            if (error instanceof SourceFailure && error.isPermanent) source.failures = 0;
            else if (attempt < tries) {
              // Not all at the same moment.
              await deps.pause(firstPauseMs * 2 ** (attempt - 1) * (0.5 + deps.random()), signal);
              continue;
            } else if (++source.failures >= failuresBeforeRest) source.restsUntil = deps.clock() + restMs;
            throw error;
          }
        }
      });
    },
  };
}
