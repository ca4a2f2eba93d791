import type pg from 'pg';
import type { Content, ListeningChannel } from './event.ts';

/** A transaction of whoever emits, or the pool where there is none. */
export type EmitClient = Pick<pg.ClientBase, 'query'>;
export type Listener = ListeningChannel & { id: string };
export type NewDelivery = { channelId: string; event: string; key: string; content: Content };

export async function listListeners(client: EmitClient): Promise<Listener[]> {
  const { rows } = await client.query<Listener>(
    'select id, team_id, filters, on_success, on_failure, on_start from notification_channels where is_enabled',
  );
  return rows;
}

/** Returns how many are new: an event that a channel was told of before is left out, and so is a channel that was deleted just now. */
export async function insertDeliveries(client: EmitClient, deliveries: NewDelivery[], now: Date): Promise<number> {
  if (deliveries.length === 0) return 0;
  const { rowCount } = await client.query(
    `insert into notification_deliveries (team_id, channel_id, event, event_key, content, next_attempt_at, created_at)
     select c.team_id, c.id, d.event, d.key, d.content, $5, $5
     from unnest($1::uuid[], $2::text[], $3::text[], $4::jsonb[]) with ordinality d (channel_id, event, key, content, place)
     join notification_channels c on c.id = d.channel_id
     order by d.place
     on conflict (channel_id, event_key) do nothing`,
    [
      deliveries.map(({ channelId }) => channelId),
      deliveries.map(({ event }) => event),
      deliveries.map(({ key }) => key),
      deliveries.map(({ content }) => JSON.stringify(content, storable)),
      now,
    ],
  );
  return rowCount ?? 0;
}

/** The database keeps no NUL and no half of a surrogate pair, and an event must never be what stops the events behind it. */
const storable = (_key: string, value: unknown): unknown =>
  typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\ufffd') : value;
