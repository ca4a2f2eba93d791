/** How figures, days and moments of quality are written. Days are UTC, as the service counts them. */

export type Tone = 'good' | 'warn' | 'bad';

const dayMs = 86_400_000;

/** Three decimals, because one minute of a day is 0.069; cut and not rounded, so that only what was perfect says 100 %. */
export function formatPercent(value: number | null): string {
  if (value === null) return 'unknown';
  const thousandths = Math.floor(value * 1000 + 1e-6);
  return thousandths === 100_000 ? '100 %' : `${(thousandths / 1000).toFixed(3)} %`;
}

/** By the objective where there is one: missed is bad, and met by less than a tenth of what it allows is a warning. */
export function toneOf(value: number, target?: number): Tone {
  if (target === undefined) return value >= 99.9 ? 'good' : value >= 99 ? 'warn' : 'bad';
  if (value < target) return 'bad';
  return value - target < (100 - target) * 0.1 && value < 100 ? 'warn' : 'good';
}

export const formatSeconds = (seconds: number): string => {
  if (seconds < 60) return `${seconds} s`;
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60];
  return [hours > 0 && `${hours} h`, minutes > 0 && `${minutes} min`, rest > 0 && hours === 0 && `${rest} s`]
    .filter(Boolean)
    .join(' ');
};

const monthDay = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const wholeDay = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

export const formatDay = (day: string): string => monthDay.format(startOf(day));
export const formatWholeDay = (day: string): string => wholeDay.format(startOf(day));

export const startOf = (day: string): Date => new Date(`${day}T00:00:00Z`);
export const unixStartOf = (day: string): number => startOf(day).getTime() / 1000;
export const dayOf = (date: Date): string => date.toISOString().slice(0, 10);
export const addDays = (day: string, count: number): string => dayOf(new Date(startOf(day).getTime() + count * dayMs));

/** The last `count` days up to and with `last`, oldest first. */
export const daysUpTo = (last: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => addDays(last, index - count + 1));

/** The figures of these days; null where there is none. */
export function fillDays(
  data: readonly { day: string; value: number | null }[],
  days: readonly string[],
): (number | null)[] {
  const byDay = new Map(data.map(({ day, value }) => [day, value]));
  return days.map((day) => byDay.get(day) ?? null);
}

export const meanOf = (values: readonly (number | null)[]): number | null => {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
};

/** The clock of a moment of a day in UTC: 13:12, or 13:12:05 where seconds matter. */
export const clockOf = (unix: number): string => {
  const text = new Date(unix * 1000).toISOString().slice(11, 19);
  return text.endsWith(':00') ? text.slice(0, 5) : text;
};

/** Minutes as the budgets count them. */
export const formatMinutes = (minutes: number): string => formatSeconds(Math.round(minutes * 60));
