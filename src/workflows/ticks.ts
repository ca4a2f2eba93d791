import { Cron } from 'croner';
import type { Schedule } from './plan.ts';

const maxMissedRuns = 100;

/** The first tick after a moment. Intervals count from the tick before, or from the moment itself. */
export function nextTick(schedule: Schedule, after: Date): Date | null {
  if (schedule.intervalSeconds !== undefined) return new Date(after.getTime() + schedule.intervalSeconds * 1000);
  return new Cron(schedule.crontab ?? '', { timezone: schedule.timezone, paused: true }).nextRun(after);
}

/**
 * Which ticks to run, and when the next one is, given the one that was due.
 *
 *   due      now
 *    ▼        ▼
 *   ─┼───┼───┼┼─┼─▶     ticks at due, and two more that were missed
 *
 * A tick that comes late by less than its own distance to the next was not missed. Of several, `once` runs one, `all` each (at most 100),
 * and `skip` none but the last if it is still the current one.
 */
export function dueTicks(schedule: Schedule, due: Date, now: Date): { runs: number; next: Date | null } {
  let passed = 1;
  let next = nextTick(schedule, due);
  // An interval of a second after a year of silence: not one by one.
  if (schedule.intervalSeconds !== undefined && next !== null && next <= now) {
    const stepMs = schedule.intervalSeconds * 1000;
    const steps = Math.floor((now.getTime() - due.getTime()) / stepMs);
    return { runs: runsOf(schedule, steps + 1), next: new Date(due.getTime() + (steps + 1) * stepMs) };
  }
  while (next !== null && next <= now && passed < maxMissedRuns) {
    passed++;
    next = nextTick(schedule, next);
  }
  if (next !== null && next <= now) next = nextTick(schedule, now);
  return { runs: runsOf(schedule, passed), next };
}

function runsOf({ missed }: Schedule, passed: number): number {
  if (passed === 1 || missed === 'once') return 1;
  return missed === 'all' ? Math.min(passed, maxMissedRuns) : 0;
}
