import type { Clock } from '../../clock.ts';
import { conflict, notFound } from '../../errors.ts';
import type { Actor, Identity } from '../../identity/access.ts';
import { type ChannelsService, requireRole, type TeamLookup, visibleTeams } from './channels.service.ts';
import type { DeliveriesStore, DeliveryFilter, DeliveryRow } from './deliveries.store.ts';
import type { Sender } from './sender.service.ts';

export type DeliveriesService = ReturnType<typeof createDeliveriesService>;

export function createDeliveriesService(deps: {
  store: DeliveriesStore;
  channels: Pick<ChannelsService, 'get'>;
  sender: Pick<Sender, 'wake'>;
  findTeam: TeamLookup;
  clock: Clock;
}) {
  const { store, channels, sender, clock } = deps;
  return {
    /** Newest first, of the teams that the caller is in. */
    async list(
      identity: Identity,
      teamId: string | undefined,
      filter: Omit<DeliveryFilter, 'teamIds'>,
    ): Promise<DeliveryRow[]> {
      const teamIds = await visibleTeams(identity, teamId, deps.findTeam);
      if (filter.channelId !== undefined) await channels.get(filter.channelId, identity, 'member');
      return store.list({ ...filter, teamIds });
    },

    /** The receiver gets it under the same id, and can tell that it knows it. */
    async resend(id: string | undefined, identity: Identity, actor: Actor): Promise<DeliveryRow> {
      const found = id === undefined ? undefined : await store.find(id);
      if (!found) throw notFound('There is no such delivery; GET /notification/deliveries lists them for 30 days.');
      requireRole(identity, found.team_id, 'manager');
      const again = await store.sendAgain(found.id, new Date(clock()), actor);
      if (!again) throw conflict('This delivery is being sent at this moment; look again in half a minute.');
      sender.wake();
      return again;
    },
  };
}
