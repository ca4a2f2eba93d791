import { z } from 'zod';
import { actorOf, identityOf } from '../../http/authentication.ts';
import { emptyObject, isUuid, pathId, queryText } from '../../http/schemas.ts';
import type { Server } from '../../http/server.ts';
import { showSettings } from './channel-settings.ts';
import { describeChannelTypes } from './channel-types.ts';
import type { ChannelsService } from './channels.service.ts';
import type { ChannelRow } from './channels.store.ts';
import { policies } from './event.ts';
import {
  changedChannel,
  channelAnswer,
  channelList,
  channelTypeAnswer,
  newChannel,
  testAnswer,
} from './notifications.schemas.ts';

export function registerChannelRoutes(app: Server, deps: { channels: ChannelsService }): void {
  const { channels } = deps;
  const tags = ['Notifications'];
  const params = z.object({ channel_id: pathId('Channel id') });
  const types = describeChannelTypes();
  const read = { config: { access: { scope: 'Read' } } } as const;
  const write = { config: { access: { scope: 'Write' } } } as const;

  app.get('/notification/state', {
    ...read,
    schema: { tags, summary: 'When a channel can be told', response: { 200: z.array(z.enum(policies)) } },
    handler: async () => [...policies],
  });

  app.get('/notification/type', {
    ...read,
    schema: { tags, summary: 'The types of channels and their settings', response: { 200: channelTypeAnswer } },
    handler: async () => types,
  });

  app.get('/notification/channels', {
    ...read,
    schema: {
      tags,
      summary: 'Channels of your teams, by name',
      querystring: z.object({ team_id: queryText('Only of this team').optional() }),
      response: { 200: channelList },
    },
    handler: async (request) => {
      const rows = await channels.list(identityOf(request), teamOf(request.query.team_id));
      return { channels: rows.map(toChannel) };
    },
  });

  app.post('/notification/channels', {
    ...write,
    schema: { tags, summary: 'Create a channel', body: newChannel, response: { 201: channelAnswer } },
    handler: async (request, reply) => {
      const { team_id: teamId, ...input } = request.body;
      const row = await channels.create(teamId, input, identityOf(request), actorOf(request));
      return reply.code(201).send(toChannel(row));
    },
  });

  app.get('/notification/channels/:channel_id', {
    ...read,
    schema: { tags, summary: 'Read one channel', params, response: { 200: channelAnswer } },
    handler: async (request) =>
      toChannel(await channels.get(idOf(request.params.channel_id), identityOf(request), 'member')),
  });

  app.put('/notification/channels/:channel_id', {
    ...write,
    schema: {
      tags,
      summary: 'Replace a channel; a secret sent as ********** stays as it is',
      params,
      body: changedChannel,
      response: { 200: channelAnswer },
    },
    handler: async (request) => {
      const { team_id: teamId, ...input } = request.body;
      const id = idOf(request.params.channel_id);
      return toChannel(await channels.replace(id, teamId, input, identityOf(request), actorOf(request)));
    },
  });

  app.delete('/notification/channels/:channel_id', {
    ...write,
    schema: { tags, summary: 'Delete a channel and its deliveries', params, response: { 200: emptyObject } },
    handler: async (request) => {
      await channels.delete(idOf(request.params.channel_id), identityOf(request), actorOf(request));
      return {};
    },
  });

  app.post('/notification/channels/:channel_id/test', {
    ...write,
    schema: { tags, summary: 'Send a test event now', params, response: { 200: testAnswer } },
    handler: (request) => channels.test(idOf(request.params.channel_id), identityOf(request), actorOf(request)),
  });
}

/** What is no id is simply not found. */
const idOf = (id: string): string | undefined => (isUuid(id) ? id : undefined);
const noTeam = '00000000-0000-0000-0000-000000000000';
const teamOf = (id: string | undefined): string | undefined =>
  id === undefined ? undefined : isUuid(id) ? id.toLowerCase() : noTeam;

function toChannel(row: ChannelRow) {
  return {
    id: row.id,
    team_id: row.team_id,
    name: row.name,
    type: row.type,
    settings: showSettings(row),
    filters: row.filters,
    on_success: row.on_success,
    on_failure: row.on_failure,
    on_start: row.on_start,
    enabled: row.is_enabled,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
