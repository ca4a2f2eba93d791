import { Cron } from 'croner';
import type { JsonObject, Schedule } from '../plan.ts';
import type { Complaints } from './complaints.ts';
import type { DefinitionBody } from './format.schemas.ts';
import { follow, type Place } from './yaml-source.ts';

/**
 * `periodic` of a definition. `schedule` is Celery Director's older spelling: seconds as a number or as text, or a crontab whose last three
 * fields stand in another order there.
 */
export function compileSchedule(
  periodic: NonNullable<DefinitionBody['periodic']>,
  place: Place,
  complaints: Complaints,
  nowMs: number,
): Schedule | undefined {
  const given = (['interval', 'crontab', 'schedule'] as const).filter((key) => periodic[key] !== undefined);
  if (given.length !== 1) {
    complaints.at(place, 'Say when with either "interval" (seconds) or "crontab", and only one of them.', 'key');
    return undefined;
  }
  const at = follow(place, [given[0]]);
  const timezone = periodic.timezone ?? 'UTC';
  if (!isTimezone(timezone)) {
    complaints.at(follow(place, ['timezone']), `There is no time zone "${timezone}"; write it as Europe/Paris or UTC.`);
    return undefined;
  }
  // zod has checked that it is a mapping of JSON values.
  const payload = (periodic.payload ?? {}) as JsonObject;
  const common = { timezone, payload, missed: periodic.missed ?? ('once' as const) };
  const when = periodic.interval ?? periodic.crontab ?? periodic.schedule ?? '';
  if (typeof when === 'number') return { intervalSeconds: when, ...common };
  if (given[0] === 'schedule' && /^\s*[1-9]\d{0,7}(\.0)?\s*$/.test(when))
    return { intervalSeconds: Number(when), ...common };
  const crontab = given[0] === 'schedule' ? fromOlderOrder(when) : when.trim();
  const fault = findCronFault(crontab, timezone, nowMs);
  if (fault === undefined) return { crontab, ...common };
  complaints.at(at, fault);
  return undefined;
}

/**
 * Celery Director reads `schedule` as minute, hour, day of the week, day of the month, month, and `crontab` as everybody does:
 *
 *   schedule: "0 2 1 * *"    02:00 on Mondays    =    crontab: "0 2 * * 1"
 */
function fromOlderOrder(pattern: string): string {
  const fields = pattern.trim().split(/\s+/);
  if (fields.length !== 5) return pattern.trim();
  const [minute, hour, dayOfWeek, dayOfMonth, month] = fields;
  return [minute, hour, dayOfMonth, month, dayOfWeek].join(' ');
}

function findCronFault(pattern: string, timezone: string, nowMs: number): string | undefined {
  const fields = pattern.split(/\s+/).length;
  if (!(pattern.startsWith('@') || fields === 5 || fields === 6)) {
    return `A crontab has five fields (minute, hour, day of the month, month, day of the week); this has ${fields}.`;
  }
  try {
    const next = new Cron(pattern, { timezone, paused: true }).nextRun(new Date(nowMs));
    return next === null ? `The crontab "${pattern}" names a time that never comes.` : undefined;
  } catch (error) {
    const reason =
      error instanceof Error ? error.message.replace(/^Cron\w+:\s*/, '').replace(/\.$/, '') : 'it cannot be read';
    return `The crontab "${pattern}" is not usable: ${reason}.`;
  }
}

function isTimezone(name: string): boolean {
  try {
    return Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
