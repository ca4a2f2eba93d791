export const maxAttempts = 8;
const firstMs = 5000;
const factor = 3;
const longestMs = 3_600_000;

/**
 * How long to wait after an attempt that failed: 5 s, 15 s, 45 s, … up to an hour, an hour and a half in all, each up to a quarter longer so
 * that what failed together is not tried together. A receiver that names a time is not asked before it.
 */
export function waitMs(attempt: number, random: number, retryAfterSeconds = 0): number {
  const usual = Math.min(firstMs * factor ** (attempt - 1), longestMs);
  return Math.round(Math.max(usual * (1 + random / 4), Math.min(retryAfterSeconds * 1000, longestMs)));
}
