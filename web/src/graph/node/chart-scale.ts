/** The lowest figure that is drawn: a round one below all values, so that small losses are seen and large ones fit. */
export function floorOf(values: readonly number[]): number {
  const lowest = Math.min(100, ...values);
  return [99.9, 99.5, 99, 98, 95, 90, 80, 60, 40, 20].find((floor) => lowest > floor) ?? 0;
}

/** The stretches of days of which something is known, as indices. */
export function knownStretches(values: readonly (number | null)[]): [number, number][] {
  const stretches: [number, number][] = [];
  for (const [index, value] of values.entries()) {
    const last = stretches.at(-1);
    if (value === null) continue;
    if (last && last[1] === index - 1) last[1] = index;
    else stretches.push([index, index]);
  }
  return stretches;
}

/** All days from one to the other, both included, as 2026-11-15. */
export function daysBetween(start: string, end: string): string[] {
  const days: string[] = [];
  for (let ms = Date.parse(start); ms <= Date.parse(end); ms += 86_400_000)
    days.push(new Date(ms).toISOString().slice(0, 10));
  return days;
}
