import type { Clock } from '../clock.ts';

/**
 * Counts per key in windows of a minute. All counts are dropped together when a new minute begins, so memory is bounded by the keys of
 * one minute, and those by `maxKeys`.
 */
export function createRateLimit(perMinute: number, clock: Clock, maxKeys = 100_000) {
  let minute = -1;
  let counts = new Map<string, number>();

  function current(): Map<string, number> {
    const now = Math.floor(clock() / 60_000);
    if (now !== minute) {
      minute = now;
      counts = new Map();
    }
    return counts;
  }

  return {
    /** Counts one, and says whether it was still within the limit. */
    take(key: string): boolean {
      const map = current();
      const count = (map.get(key) ?? 0) + 1;
      if (count > 1 || map.size < maxKeys) map.set(key, count);
      return count <= perMinute;
    },
    /** Says whether the limit is used up, without counting. */
    isSpent: (key: string): boolean => (current().get(key) ?? 0) >= perMinute,
    secondsLeft: (): number => 60 - Math.floor((clock() % 60_000) / 1000),
  };
}
