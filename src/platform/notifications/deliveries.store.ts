import type pg from 'pg';
import { auditStatement } from '../../db/audit.ts';
import type { Actor } from '../../identity/access.ts';
import type { StoredSettings } from './channel-settings.ts';
import type { Content } from './event.ts';

export type DeliveryRow = {
  number: string;
  id: string;
  team_id: string;
  channel_id: string;
  event: string;
  title: string;
  state: 'pending' | 'sent' | 'failed';
  attempts: number;
  next_attempt_at: Date | null;
  is_leased: boolean;
  last_error: string | null;
  response_status: number | null;
  created_at: Date;
  finished_at: Date | null;
};
export type DeliveryFilter = {
  teamIds: string[] | 'all';
  channelId?: string | undefined;
  state?: string | undefined;
  before?: number | undefined;
  limit: number;
};
/** What the sender is given: the delivery, and its channel as it is now. */
export type DueDelivery = {
  id: string;
  team_id: string;
  event: string;
  content: Content;
  attempts: number;
  channel_id: string;
  channel_name: string;
  is_enabled: boolean;
} & StoredSettings;

export type Attempt = { id: string; attempts: number; error?: string | undefined; status?: number | undefined };

export type DeliveriesStore = ReturnType<typeof createDeliveriesStore>;

const columns = `number, id, team_id, channel_id, event, content ->> 'title' as title, state, attempts, next_attempt_at, is_leased,
  last_error, response_status, created_at, finished_at`;

export function createDeliveriesStore(pool: pg.Pool) {
  return {
    /** Newest first. */
    async list({ teamIds, channelId, state, before, limit }: DeliveryFilter): Promise<DeliveryRow[]> {
      const { rows } = await pool.query<DeliveryRow>(
        `select ${columns} from notification_deliveries
         where ($1::uuid[] is null or team_id = any ($1)) and ($2::uuid is null or channel_id = $2) and ($3::text is null or state = $3)
           and ($4::bigint is null or number < $4) order by number desc limit $5`,
        [teamIds === 'all' ? null : teamIds, channelId ?? null, state ?? null, before ?? null, limit],
      );
      return rows;
    },

    async find(id: string): Promise<DeliveryRow | undefined> {
      const { rows } = await pool.query<DeliveryRow>(`select ${columns} from notification_deliveries where id = $1`, [
        id,
      ]);
      return rows[0];
    },

    /** From the first attempt on, under the same id. Undefined while somebody is sending it. */
    async sendAgain(id: string, now: Date, actor: Actor): Promise<DeliveryRow | undefined> {
      const client = await pool.connect();
      try {
        await client.query('begin');
        const { rows } = await client.query<DeliveryRow>(
          `update notification_deliveries set state = 'pending', attempts = 0, next_attempt_at = $2, is_leased = false, finished_at = null
           where id = $1 and not (is_leased and next_attempt_at > $2) returning ${columns}`,
          [id, now],
        );
        const [row] = rows;
        if (row) {
          const entry = { action: 'notification.delivery.resend', target: `delivery ${id}`, teamId: row.team_id };
          await client.query(auditStatement(actor, entry));
        }
        await client.query('commit');
        return row;
      } catch (error) {
        await client.query('rollback').catch(() => undefined);
        throw error;
      } finally {
        client.release();
      }
    },

    /**
     * Takes deliveries that are due, a few of each channel and none of `busyChannels`: one slow receiver must not hold up the others. Whoever
     * takes them and dies has them until the lease ends, then they are due again.
     */
    async claim(call: {
      max: number;
      perChannel: number;
      busyChannels: string[];
      now: Date;
      leaseUntil: Date;
    }): Promise<DueDelivery[]> {
      const { rows } = await pool.query<DueDelivery>({
        name: 'notification-claim',
        text: `with oldest as (
             select number, channel_id, next_attempt_at from notification_deliveries
             where state = 'pending' and next_attempt_at <= $1 and channel_id <> all ($5::uuid[])
             order by next_attempt_at limit 1000
           ), fair as (
             select number from (select number, row_number() over (partition by channel_id order by next_attempt_at, number) as place from oldest) o
             where place <= $4 limit $3
           ), due as (
             select number from notification_deliveries where number = any (array(select number from fair))
               and state = 'pending' and next_attempt_at <= $1 for update skip locked
           ), taken as (
             update notification_deliveries d set attempts = d.attempts + 1, next_attempt_at = $2, is_leased = true
             from due where d.number = due.number returning d.id, d.team_id, d.event, d.content, d.attempts, d.channel_id
           )
           select t.*, c.name as channel_name, c.is_enabled, c.type, c.settings, c.secrets
           from taken t join notification_channels c on c.team_id = t.team_id and c.id = t.channel_id`,
        values: [call.now, call.leaseUntil, call.max, call.perChannel, call.busyChannels],
      });
      return rows;
    },

    /** Only whoever made the newest attempt is heard, and only while the delivery waits for it. */
    async finish({ id, attempts, error, status }: Attempt, state: 'sent' | 'failed', now: Date): Promise<void> {
      await pool.query(
        `update notification_deliveries set state = $3, last_error = $4, response_status = $5, finished_at = $6, next_attempt_at = null,
           is_leased = false
         where id = $1 and attempts = $2 and state = 'pending'`,
        [id, attempts, state, error ?? null, status ?? null, now],
      );
    },

    async postpone({ id, attempts, error, status }: Attempt, until: Date): Promise<void> {
      await pool.query(
        `update notification_deliveries set last_error = $3, response_status = $4, next_attempt_at = $5, is_leased = false
         where id = $1 and attempts = $2 and state = 'pending'`,
        [id, attempts, error ?? null, status ?? null, until],
      );
    },

    /** An attempt that was broken off because the process stops: it was none, and is due at once. */
    async giveBack({ id, attempts }: Attempt, now: Date): Promise<void> {
      await pool.query(
        `update notification_deliveries set attempts = attempts - 1, next_attempt_at = $3, is_leased = false
         where id = $1 and attempts = $2 and state = 'pending'`,
        [id, attempts, now],
      );
    },

    /** For the only process of a database, before it sends anything: whoever had these is dead. */
    async endAllLeases(now: Date): Promise<void> {
      await pool.query(
        `update notification_deliveries set next_attempt_at = $1, is_leased = false where state = 'pending' and is_leased`,
        [now],
      );
    },

    async expire(before: Date): Promise<void> {
      await pool.query('delete from notification_deliveries where finished_at < $1', [before]);
    },
  };
}
