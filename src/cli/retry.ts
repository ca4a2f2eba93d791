import { setTimeout as sleep } from 'node:timers/promises';

export type RetryPolicy = {
  /** How many more times after the first. */
  retries: number;
  isTemporary: (error: unknown) => boolean;
  /** What the other side asked for. */
  atLeastMs?: (error: unknown) => number;
  onRetry: (error: unknown, waitMs: number, attempt: number) => void;
  wait?: (ms: number) => Promise<unknown>;
};

const firstWaitMs = 500;
const longestWaitMs = 15_000;

/** Tries again with growing pauses while the failure may pass; throws the last one. */
export async function withRetries<T>(work: () => Promise<T>, policy: RetryPolicy): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt > policy.retries || !policy.isTemporary(error)) throw error;
      const pauseMs = Math.min(longestWaitMs, firstWaitMs * 2 ** (attempt - 1));
      const waitMs = Math.max(pauseMs, policy.atLeastMs?.(error) ?? 0);
      policy.onRetry(error, waitMs, attempt);
      await (policy.wait ?? sleep)(waitMs);
    }
  }
}
