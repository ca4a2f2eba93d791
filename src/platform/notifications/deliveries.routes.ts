import { z } from 'zod';
import { actorOf, identityOf } from '../../http/authentication.ts';
import { isUuid, pathId, queryInteger, queryText } from '../../http/schemas.ts';
import type { Server } from '../../http/server.ts';
import type { DeliveriesService } from './deliveries.service.ts';
import type { DeliveryRow } from './deliveries.store.ts';
import { deliveryAnswer, deliveryPage, deliveryStates } from './notifications.schemas.ts';

const pageLimit = 1000;
const nothing = '00000000-0000-0000-0000-000000000000';

export function registerDeliveryRoutes(app: Server, deps: { deliveries: DeliveriesService }): void {
  const { deliveries } = deps;
  const tags = ['Notifications'];

  app.get('/notification/deliveries', {
    config: { access: { scope: 'Read' } },
    schema: {
      tags,
      summary: 'What was sent, is to be sent and could not be sent; newest first, kept for 30 days',
      querystring: z.object({
        channel: queryText('Only of this channel (its id)').optional(),
        team_id: queryText('Only of this team').optional(),
        state: z.enum(deliveryStates, `must be one of ${deliveryStates.join(', ')}`).optional(),
        limit: queryInteger(`How many, ${pageLimit} at most; 100 unless told`).optional(),
        before: queryInteger('Only with a smaller number: `next_before` of the page before').optional(),
      }),
      response: { 200: deliveryPage },
    },
    handler: async (request) => {
      const { channel, team_id: teamId, state, before } = request.query;
      const limit = Math.min(request.query.limit ?? 100, pageLimit);
      // One more than asked for tells whether there is a next page.
      const filter = { channelId: knownId(channel), state, before, limit: limit + 1 };
      const rows = await deliveries.list(identityOf(request), knownId(teamId), filter);
      const page = rows.slice(0, limit).map(toDelivery);
      return { deliveries: page, next_before: rows.length > limit ? (page.at(-1)?.number ?? null) : null };
    },
  });

  app.post('/notification/deliveries/:delivery_id/resend', {
    config: { access: { scope: 'Write' } },
    schema: {
      tags,
      summary: 'Send again, under the same id and from the first attempt on',
      params: z.object({ delivery_id: pathId('Delivery id') }),
      response: { 200: deliveryAnswer },
    },
    handler: async (request) => {
      const id = request.params.delivery_id;
      return toDelivery(await deliveries.resend(isUuid(id) ? id : undefined, identityOf(request), actorOf(request)));
    },
  });
}

/** What is no id names nothing that there is. */
const knownId = (id: string | undefined): string | undefined =>
  id === undefined ? undefined : isUuid(id) ? id.toLowerCase() : nothing;

function toDelivery(row: DeliveryRow) {
  return {
    id: row.id,
    number: Number(row.number),
    team_id: row.team_id,
    channel_id: row.channel_id,
    event: row.event,
    title: row.title,
    state: row.state,
    attempts: row.attempts,
    next_attempt: row.next_attempt_at?.toISOString() ?? null,
    last_error: row.last_error,
    response_status: row.response_status,
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  };
}
