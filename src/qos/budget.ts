/** A label should reach `target` percent on average over `windowDays`. */
export type Objective = { target: number; windowDays: number };

/** A label's figure of one day; null where nothing was known. */
export type DayFigure = { day: string; value: number | null };

export type Budget = {
  /** First and last day of the window. */
  from: string;
  to: string;
  /** Days of the window with a figure. */
  knownDays: number;
  /** Mean over them, in percent; null where there are none. */
  value: number | null;
  isMet: boolean | null;
  /** How much may be missing in the whole window, and how much is: minutes of one label that is wholly down. */
  allowedMinutes: number;
  spentMinutes: number;
  /** What is left, in percent of what is allowed; below 0 it is overspent. Null without figures. */
  leftPercent: number | null;
  /** How fast it is being spent: 1 uses up exactly the budget by the end of a window. Null where nothing is known, or nothing is allowed. */
  burnRate: { lastDay: number | null; lastWeek: number | null; window: number | null };
};

const minutesOfDay = 1440;

/**
 * The error budget of the window that ends with `lastDay`. Days without a figure spend nothing.
 *
 *   target 99.9 over 30 days: 0.1 % × 30 × 1440 = 43.2 minutes may be missing; a day at 99.0 takes 14.4 of them, at a burn rate of 10
 */
export function budgetOf({ target, windowDays }: Objective, figures: readonly DayFigure[], lastDay: string): Budget {
  const from = dayBefore(lastDay, windowDays - 1);
  const known = knownSince(figures, from, lastDay);
  const allowed = 100 - target;
  const spent = known.reduce((sum, value) => sum + (100 - value), 0);
  const value = mean(known);
  const burnRate = (days: number): number | null => {
    const values = mean(knownSince(figures, dayBefore(lastDay, days - 1), lastDay));
    return values === null || allowed === 0 ? null : round((100 - values) / allowed);
  };
  return {
    from,
    to: lastDay,
    knownDays: known.length,
    value: value === null ? null : round(value),
    isMet: value === null ? null : round(value) >= target,
    allowedMinutes: round((allowed / 100) * windowDays * minutesOfDay),
    spentMinutes: round((spent / 100) * minutesOfDay),
    leftPercent: known.length === 0 ? null : leftOf(allowed * windowDays, spent),
    burnRate: { lastDay: burnRate(1), lastWeek: burnRate(7), window: burnRate(windowDays) },
  };
}

/** Where nothing is allowed to be missing, the least miss is all. */
const leftOf = (allowed: number, spent: number): number =>
  allowed === 0 ? (spent === 0 ? 100 : 0) : round(100 * (1 - spent / allowed));

const knownSince = (figures: readonly DayFigure[], from: string, to: string): number[] =>
  figures.flatMap(({ day, value }) => (value !== null && day >= from && day <= to ? [value] : []));

const mean = (values: number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;

const round = (value: number): number => Math.round(value * 1000) / 1000;

export function dayBefore(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - days * 86_400_000).toISOString().slice(0, 10);
}
