/** Days are UTC and written as YYYY-MM-DD; their seconds are unix seconds. */

export const daySeconds = 86_400;

export function isDay(text: string): boolean {
  // From 1970 on, and with room for a range behind it: the database does not know every day that can be written.
  return /^(19[7-9]|[2-8]\d\d)\d-\d\d-\d\d$/.test(text) && toDay(startOfDay(text)) === text;
}

/** NaN where it is none. */
export const startOfDay = (day: string): number => Date.parse(`${day}T00:00:00Z`) / 1000;

export const toDay = (seconds: number): string =>
  Number.isFinite(seconds) ? new Date(seconds * 1000).toISOString().slice(0, 10) : '';

export const addDays = (day: string, count: number): string => toDay(startOfDay(day) + count * daySeconds);

/** From the first to the last, both included. */
export function daysBetween(first: string, last: string): string[] {
  const count = (startOfDay(last) - startOfDay(first)) / daySeconds + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) => addDays(first, index));
}
