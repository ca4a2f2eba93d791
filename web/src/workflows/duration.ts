import { formatSeconds } from '../design/duration.ts';

type Span = { started: string | null; finished: string | null };

/** Undefined before it began. What still runs lasts until now. */
export function durationOf({ started, finished }: Span, now: number): number | undefined {
  if (started === null) return undefined;
  const end = finished === null ? now : Date.parse(finished);
  return Math.max(0, end - Date.parse(started));
}

/** `every 60 s`, `30 6 * * 1-5 (Europe/Paris)`; what a definition's `periodic` says. */
export function describeSchedule(periodic: Record<string, unknown>): string {
  const { interval, crontab, schedule, timezone } = periodic;
  const rhythm = interval ?? crontab ?? schedule;
  const zone = typeof timezone === 'string' ? timezone : 'UTC';
  if (typeof rhythm === 'number') return `every ${formatSeconds(rhythm)}`;
  return typeof rhythm === 'string' ? `${rhythm} (${zone})` : '';
}
