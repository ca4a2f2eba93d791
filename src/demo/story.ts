import { at, type Calendar } from './calendar.ts';
import { listServers } from './servers.ts';

export const brokenDatabase = 'orders-db';
/** The day with the outage: so many days before the team was made. */
export const badDay = 3;

/** What happened in the days around the team's birthday, and can be found in the figures. */
export function storyOf(calendar: Calendar) {
  const { pools } = listServers();
  return {
    /** Before that nothing of this shop existed. */
    opening: at(calendar, 200),
    /** The disk of the orders is full from the first to the second, exclusive: 47 minutes. */
    outage: { from: at(calendar, badDay, '13:12'), to: at(calendar, badDay, '13:59') },
    /** The newsletter left the interface of the orders an hour before it broke, so the outage did not cost it anything. */
    newsletterLeaves: at(calendar, badDay, '12:00'),
    /** The checkout goes over to the second version of payments in the middle of a day. */
    paymentsMove: at(calendar, 2, '12:00'),
    /** The only machine of the planner restarts, and nobody takes over. */
    restart: { server: lastOf(pools['planner-pool']), from: at(calendar, 5, '03:20'), to: at(calendar, 5, '03:26') },
    /** Half a day: a sale that needs the promotions while it lasts. */
    sale: { from: at(calendar, 1, '08:00'), to: at(calendar, 1, '20:00') },
    /** Switched off for good. */
    retired: { server: lastOf(pools['catalogue-pool']), at: at(calendar, 4, '18:00') },
    /** Its agent died: since then nobody knows how it is. */
    silent: { server: lastOf(pools['media-pool']), at: at(calendar, 2, '09:30') },
  };
}

const lastOf = (servers: { name: string }[]): string => servers.at(-1)?.name ?? '';
