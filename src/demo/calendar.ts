export const daySeconds = 86_400;

/**
 * When things happen in the example. Everything is told from the day on which the team was made, so that loading again, also after a
 * crash or a week later, tells the same story and only adds the days since.
 */
export type Calendar = {
  /** The first second (UTC) of the day on which the team was made. */
  birthday: number;
  now: number;
};

export const calendarOf = (madeAtMs: number, nowMs: number): Calendar => ({
  birthday: dayOf(Math.floor(madeAtMs / 1000)),
  now: Math.floor(nowMs / 1000),
});

/** The first second of the day. */
export const dayOf = (seconds: number): number => seconds - (seconds % daySeconds);

/** `at(calendar, 3, '13:12')`: that minute, three days before the team was made. */
export function at(calendar: Calendar, daysBefore: number, time = '00:00'): number {
  const [hours, minutes] = time.split(':').map(Number);
  return calendar.birthday - daysBefore * daySeconds + hours * 3600 + minutes * 60;
}

export const isoDate = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10);

const daysBeforeBirth = 7;
/** What is older would be swept as too old, and nobody looks at it. */
const longestDays = 30;

/** The days with figures, oldest first: a week before the team was made, up to today. */
export function listDays(calendar: Calendar): number[] {
  const today = dayOf(calendar.now);
  const first = Math.max(at(calendar, daysBeforeBirth), today - longestDays * daySeconds);
  return Array.from({ length: (today - first) / daySeconds + 1 }, (_, index) => first + index * daySeconds);
}
