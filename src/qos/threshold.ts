/** A value is good from `low` to `high`, both included; null is no bound. */
export type Bounds = { low: number | null; high: number | null };

const number = String.raw`[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?`;
const range = new RegExp(String.raw`^\s*(${number})?\s*:\s*(${number})?\s*$`);

/** `5` is "at most 5"; `"1:5"`, `"1:"` and `":5"` are ranges. Anything else answers the sentence that says what is wrong with it. */
export function parseThreshold(given: number | string): Bounds | string {
  if (typeof given === 'number') return { low: null, high: given };
  const found = range.exec(given);
  if (!found) return 'must be a number ("at most") or a range such as "1:5", "1:" or ":5"';
  const [low, high] = [toBound(found[1]), toBound(found[2])];
  if (low === null && high === null) return 'must have a bound on at least one side';
  if (![low, high].every((bound) => bound === null || Number.isFinite(bound))) return 'is larger than a number can be';
  if (low !== null && high !== null && low > high) return 'must not begin above its end';
  return { low, high };
}

/** As people would write it. */
export function printThreshold({ low, high }: Bounds): number | string {
  return low === null && high !== null ? high : `${low ?? ''}:${high ?? ''}`;
}

const toBound = (text: string | undefined): number | null => (text === undefined ? null : Number(text));
