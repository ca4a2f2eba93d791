/** `[from, to, from, to, …]`, an odd count is still open, none at all means always; as stretches of a range, within it. */
export function stretchesOf(periods: readonly number[], from: number, to: number): [number, number][] {
  if (periods.length === 0) return [[from, to]];
  const stretches: [number, number][] = [];
  for (let i = 0; i < periods.length; i += 2) {
    const start = Math.max(from, periods[i] ?? from);
    const end = Math.min(to, periods[i + 1] ?? to);
    if (end >= start) stretches.push([start, end]);
  }
  return stretches;
}

/** A range in which all the times can be seen, with a little room before the first; at least a month, and up to `now` at least. */
export function rangeOf(times: readonly number[], now: number): { from: number; to: number } {
  const known = times.filter((time) => time > 0);
  const first = Math.min(now - 30 * 86_400, ...known);
  const to = Math.max(now, ...known.filter((time) => time < now + 10 * 365 * 86_400));
  return { from: Math.floor(first - (to - first) * 0.03), to };
}

/** About so many moments of the range that people name: beginnings of years, months or days. */
export function ticksOf(from: number, to: number, count: number): { at: number; text: string }[] {
  const step = steps.find(({ seconds }) => (to - from) / seconds <= count) ?? steps[steps.length - 1] ?? year;
  const ticks: { at: number; text: string }[] = [];
  for (let date = step.first(new Date(from * 1000)); ; date = step.next(date)) {
    const at = date.getTime() / 1000;
    if (at > to || ticks.length > 2 * count) return ticks;
    if (at >= from) ticks.push({ at, text: step.format.format(date) });
  }
}

const utc = (year: number, month = 0, day = 1): Date => new Date(Date.UTC(year, month, day));
const format = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(undefined, { timeZone: 'UTC', ...options });
const days = (count: number) => ({
  seconds: count * 86_400,
  format: format({ day: 'numeric', month: 'short' }),
  first: (date: Date) => utc(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()),
  next: (date: Date) => utc(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + count),
});
const months = (count: number) => ({
  seconds: count * 30 * 86_400,
  format: format({ month: 'short', year: 'numeric' }),
  first: (date: Date) => utc(date.getUTCFullYear(), Math.floor(date.getUTCMonth() / count) * count),
  next: (date: Date) => utc(date.getUTCFullYear(), date.getUTCMonth() + count),
});
const years = (count: number) => ({
  seconds: count * 365 * 86_400,
  format: format({ year: 'numeric' }),
  first: (date: Date) => utc(Math.floor(date.getUTCFullYear() / count) * count),
  next: (date: Date) => utc(date.getUTCFullYear() + count),
});
const year = years(1);
const steps = [days(1), days(7), months(1), months(3), months(6), year, years(2), years(5), years(10), years(50)];
