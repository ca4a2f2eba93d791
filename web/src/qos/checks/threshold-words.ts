/** "at most 20", "from 16 to 27", "at least 1" */
export function describeThreshold(threshold: number | string): string {
  if (typeof threshold === 'number') return `at most ${threshold}`;
  const [low = '', high = ''] = threshold.split(':').map((part) => part.trim());
  if (low === '') return `at most ${high}`;
  return high === '' ? `at least ${low}` : `from ${low} to ${high}`;
}

/** The bounds themselves; null where there is none. */
export function boundsOf(threshold: number | string): { low: number | null; high: number | null } {
  if (typeof threshold === 'number') return { low: null, high: threshold };
  const [low = '', high = ''] = threshold.split(':').map((part) => part.trim());
  return { low: low === '' ? null : Number(low), high: high === '' ? null : Number(high) };
}
