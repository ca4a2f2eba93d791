/** The lower end of a chart of percents: a round number below everything that is shown, so that differences near 100 can be seen. */
const floors = [99.9, 99.5, 99, 98, 95, 90, 80, 50, 0];

export function floorOf(values: readonly (number | null)[], target?: number): number {
  const known = values.filter((value) => value !== null);
  const lowest = Math.min(100, ...known, ...(target === undefined || target >= 100 ? [] : [target]));
  return floors.find((floor) => lowest >= floor + (100 - floor) * 0.05) ?? 0;
}

/** From 0 at the floor to 1 at 100. */
export const heightOf = (value: number, floor: number): number =>
  Math.max(0, Math.min(1, (value - floor) / (100 - floor)));

/** Runs of neighbouring values that are known, each with the place of its first. */
export function stretchesOf(values: readonly (number | null)[]): { start: number; values: number[] }[] {
  const stretches: { start: number; values: number[] }[] = [];
  for (const [index, value] of values.entries()) {
    if (value === null) continue;
    const last = stretches.at(-1);
    if (last && last.start + last.values.length === index) last.values.push(value);
    else stretches.push({ start: index, values: [value] });
  }
  return stretches;
}
