import { type Calendar, dayOf, daySeconds } from './calendar.ts';
import { noise } from './noise.ts';
import type { CheckKey } from './quality.ts';
import { listServers } from './servers.ts';
import { databases } from './shop.ts';
import { brokenDatabase, storyOf } from './story.ts';

/** From `from` up to, not including, `to` the check of this node sees values around `value`. */
export type Outage = { name: string; check: CheckKey; from: number; to: number; value: number };

const restartsADay = 0.012;
const lagsADay = 0.04;
/** All applications need these: they are well kept, and what is wrong with an offer is its own. */
const wellKept = new Set(['identity-db', 'events-db']);

/** What went wrong on a day: what the story tells, and the small things that every day has. */
export function listOutages(calendar: Calendar, day: number): Outage[] {
  const { outage, restart } = storyOf(calendar);
  const told: Outage[] = [
    { name: brokenDatabase, check: 'disk', from: outage.from, to: outage.to, value: 98.5 },
    { name: restart.server, check: 'packetLoss', from: restart.from, to: restart.to, value: 100 },
  ];
  const isBadDay = dayOf(outage.from) === day;
  const servers = listServers();
  const restarts = Object.values(servers.pools)
    .flat()
    .filter(({ name }) => name !== restart.server && noise(`restart ${name}`, day) < restartsADay)
    .map(({ name }): Outage => ({ name, check: 'packetLoss', ...nightWindow(name, day, 120, 480), value: 100 }));
  const lags = Object.keys(databases)
    // The cause of the bad day must be plain to see.
    .filter((name) => !wellKept.has(name) && !(isBadDay && name === brokenDatabase))
    .filter((name) => noise(`lag ${name}`, day) < lagsADay)
    .map((name): Outage => ({ name, check: 'lag', ...anyWindow(name, day, 120, 600), value: 70 }));
  // One that has not ended yet would be taken to last until midnight.
  const over = [...restarts, ...lags].filter(({ to }) => to <= calendar.now);
  return [...told.filter(({ from }) => dayOf(from) === day), ...over];
}

/** Updates are put in between one and five in the morning. */
const nightWindow = (name: string, day: number, shortest: number, longest: number) =>
  windowWithin(name, day, 3600, 4 * 3600, shortest, longest);

const anyWindow = (name: string, day: number, shortest: number, longest: number) =>
  windowWithin(name, day, 0, daySeconds - longest - 60, shortest, longest);

function windowWithin(name: string, day: number, start: number, span: number, shortest: number, longest: number) {
  const from = day + start + Math.floor(noise(`when ${name}`, day) * span);
  return { from, to: from + shortest + Math.floor(noise(`how long ${name}`, day) * (longest - shortest)) };
}
