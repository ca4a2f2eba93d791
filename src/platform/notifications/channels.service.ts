import { randomUUID } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import { badRequest, conflict, forbidden, notFound } from '../../errors.ts';
import { type Actor, decide, type Identity, type Role } from '../../identity/access.ts';
import type { Secrets } from '../secrets.ts';
import { type StoredSettings, sealSettings } from './channel-settings.ts';
import type { ChannelRow, ChannelsStore, ChannelValues } from './channels.store.ts';
import type { ChannelInput } from './notifications.schemas.ts';
import type { Sender } from './sender.service.ts';

const channelsPerTeam = 100;

export type ChannelsService = ReturnType<typeof createChannelsService>;
export type TeamLookup = (id: string) => Promise<object | undefined>;

/** Channels belong to teams: members see them, managers change them. */
export function createChannelsService(deps: {
  store: ChannelsStore;
  sender: Sender;
  secrets: Secrets;
  findTeam: TeamLookup;
  clock: Clock;
}) {
  const { store, sender, secrets, clock } = deps;
  const now = () => new Date(clock());

  async function get(id: string | undefined, identity: Identity, role: Role): Promise<ChannelRow> {
    const channel = id === undefined ? undefined : await store.find(id);
    if (!channel) throw unknownChannel();
    requireRole(identity, channel.team_id, role);
    return channel;
  }

  const valuesOf = (input: ChannelInput, former: StoredSettings | undefined): ChannelValues => ({
    name: input.name,
    ...sealSettings(input.type, input.settings, former, secrets),
    filters: input.filters,
    on_success: input.on_success,
    on_failure: input.on_failure,
    on_start: input.on_start,
    is_enabled: input.enabled,
  });

  return {
    get,

    list: async (identity: Identity, teamId: string | undefined): Promise<ChannelRow[]> =>
      store.list(await visibleTeams(identity, teamId, deps.findTeam)),

    async create(teamId: string, input: ChannelInput, identity: Identity, actor: Actor): Promise<ChannelRow> {
      if (!(await deps.findTeam(teamId))) throw unknownTeam();
      requireRole(identity, teamId, 'manager');
      const values = valuesOf(input, undefined);
      if ((await store.count(teamId)) >= channelsPerTeam) {
        throw conflict(`A team has at most ${channelsPerTeam} channels; delete one that nobody needs.`);
      }
      return (await store.create(teamId, values, now(), actor)) ?? unknownChannelNow();
    },

    async replace(
      id: string | undefined,
      teamId: string | undefined,
      input: ChannelInput,
      identity: Identity,
      actor: Actor,
    ): Promise<ChannelRow> {
      const former = await get(id, identity, 'manager');
      if (teamId !== undefined && teamId !== former.team_id) {
        throw badRequest(
          'A channel stays in its team; leave "team_id" as it is, and create a new channel in the other.',
        );
      }
      return (await store.replace(former.id, valuesOf(input, former), now(), actor)) ?? unknownChannelNow();
    },

    async delete(id: string | undefined, identity: Identity, actor: Actor): Promise<void> {
      const { id: known } = await get(id, identity, 'manager');
      if (!(await store.delete(known, actor))) throw unknownChannel();
    },

    /** Sends a test event now, once. */
    async test(id: string | undefined, identity: Identity, actor: Actor): Promise<{ ok: boolean; message: string }> {
      const channel = await get(id, identity, 'manager');
      const outcome = await sender.attempt(channel, {
        id: randomUUID(),
        event: 'test',
        teamId: channel.team_id,
        channel: { id: channel.id, name: channel.name },
        content: {
          title: `Test of the channel ${channel.name}`,
          message: `${actor.userName} asked Faultline to send this.`,
          at: now().toISOString(),
          data: {},
        },
      });
      await store.noteTest(channel, outcome.isSent, actor);
      return outcome.isSent
        ? { ok: true, message: 'The receiver has accepted the test event.' }
        : { ok: false, message: outcome.error };
    },
  };
}

/** The teams whose channels and deliveries a caller sees, or the one that is asked for. */
export async function visibleTeams(
  identity: Identity,
  teamId: string | undefined,
  findTeam: TeamLookup,
): Promise<string[] | 'all'> {
  if (teamId === undefined) return identity.isAdmin ? 'all' : [...identity.grants.keys()];
  if (!(await findTeam(teamId))) throw unknownTeam();
  requireRole(identity, teamId, 'member');
  return [teamId];
}

export function requireRole(identity: Identity, teamId: string, role: Role): void {
  // The scope was checked at the door.
  const [scope] = identity.scopes;
  if (decide(identity, { scope, team: role }, teamId) !== 'allowed')
    throw forbidden(`This needs the role ${role} in the team of the channel.`);
}

const unknownTeam = () => notFound('There is no such team; GET /v1/teams lists yours.');
const unknownChannel = () => notFound('There is no such channel; GET /notification/channels lists yours.');
const unknownChannelNow = (): never => {
  throw unknownChannel();
};
