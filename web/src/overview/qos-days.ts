/** One day's figure of a label or node; null: nothing was known. */
export type QosDay = { day: string; value: number | null };

const dayMs = 86_400_000;

/** `YYYY-MM-DD` in UTC, oldest first, the day of `now` last. */
export const daysUntil = (now: Date, count: number): string[] =>
  Array.from({ length: count }, (_, index) =>
    new Date(now.getTime() - (count - 1 - index) * dayMs).toISOString().slice(0, 10),
  );

/** The figures of these days; null where there is none. */
export function fillDays(data: readonly QosDay[], days: readonly string[]): (number | null)[] {
  const byDay = new Map(data.map(({ day, value }) => [day.slice(0, 10), value]));
  return days.map((day) => byDay.get(day) ?? null);
}

export function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

/** Three decimals, cut and not rounded: only what was perfect says 100 %. */
export function formatPercent(value: number): string {
  const thousandths = Math.floor(value * 1000 + 1e-6);
  return thousandths === 100_000 ? '100 %' : `${(thousandths / 1000).toFixed(3)} %`;
}

/** How a figure is coloured where no objective says otherwise. */
export const toneOf = (percent: number): 'good' | 'warn' | 'bad' =>
  percent >= 99.9 ? 'good' : percent >= 99 ? 'warn' : 'bad';
