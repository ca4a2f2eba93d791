import type pg from 'pg';
import { type AuditEntry, auditStatement } from '../../db/audit.ts';
import { isForeignKeyViolation, isUniqueViolation } from '../../db/errors.ts';
import { conflict, notFound } from '../../errors.ts';
import type { Actor } from '../../identity/access.ts';
import type { StoredSettings } from './channel-settings.ts';
import type { Filters, ListeningChannel, Policy } from './event.ts';

export type ChannelRow = StoredSettings &
  ListeningChannel & { id: string; name: string; is_enabled: boolean; created_at: Date; updated_at: Date };
export type ChannelValues = StoredSettings & {
  name: string;
  filters: Filters;
  on_success: Policy;
  on_failure: Policy;
  on_start: Policy;
  is_enabled: boolean;
};

export type ChannelsStore = ReturnType<typeof createChannelsStore>;

const columns =
  'id, team_id, name, type, settings, secrets, filters, on_success, on_failure, on_start, is_enabled, created_at, updated_at';

export function createChannelsStore(pool: pg.Pool) {
  /** The change and its audit entry, together or not at all. */
  async function change(
    actor: Actor,
    run: (client: pg.PoolClient) => Promise<ChannelRow | undefined>,
    action: string,
  ): Promise<ChannelRow | undefined> {
    const client = await pool.connect();
    try {
      await client.query('begin');
      const row = await run(client);
      if (row) await client.query(auditStatement(actor, entryOf(action, row)));
      await client.query('commit');
      return row;
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      if (isUniqueViolation(error)) throw conflict('The team has a channel of this name already; choose another name.');
      if (isForeignKeyViolation(error)) throw notFound('There is no such team; GET /v1/teams lists yours.');
      throw error;
    } finally {
      client.release();
    }
  }

  return {
    /** By name. */
    async list(teamIds: string[] | 'all'): Promise<ChannelRow[]> {
      const { rows } = await pool.query<ChannelRow>(
        `select ${columns} from notification_channels where $1::uuid[] is null or team_id = any ($1) order by name collate "C", id`,
        [teamIds === 'all' ? null : teamIds],
      );
      return rows;
    },

    async find(id: string): Promise<ChannelRow | undefined> {
      const { rows } = await pool.query<ChannelRow>(`select ${columns} from notification_channels where id = $1`, [id]);
      return rows[0];
    },

    async count(teamId: string): Promise<number> {
      const { rows } = await pool.query<{ count: string }>(
        'select count(*) as count from notification_channels where team_id = $1',
        [teamId],
      );
      return Number(rows[0].count);
    },

    /** By name or id, among all teams. */
    async listNamed(nameOrId: string): Promise<ChannelRow[]> {
      const { rows } = await pool.query<ChannelRow>(
        `select ${columns} from notification_channels where id::text = lower($1) or name = $1 order by id`,
        [nameOrId],
      );
      return rows;
    },

    create: (teamId: string, values: ChannelValues, now: Date, actor: Actor): Promise<ChannelRow | undefined> =>
      change(
        actor,
        async (client) => {
          const { rows } = await client.query<ChannelRow>(
            `insert into notification_channels (team_id, name, type, settings, secrets, filters, on_success, on_failure, on_start, is_enabled,
               created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11) returning ${columns}`,
            [teamId, ...listed(values), now],
          );
          return rows[0];
        },
        'notification.channel.create',
      ),

    replace: (id: string, values: ChannelValues, now: Date, actor: Actor): Promise<ChannelRow | undefined> =>
      change(
        actor,
        async (client) => {
          const { rows } = await client.query<ChannelRow>(
            `update notification_channels set name = $2, type = $3, settings = $4, secrets = $5, filters = $6, on_success = $7,
               on_failure = $8, on_start = $9, is_enabled = $10, updated_at = $11
             where id = $1 returning ${columns}`,
            [id, ...listed(values), now],
          );
          return rows[0];
        },
        'notification.channel.update',
      ),

    delete: (id: string, actor: Actor): Promise<ChannelRow | undefined> =>
      change(
        actor,
        async (client) => {
          const { rows } = await client.query<ChannelRow>(
            `delete from notification_channels where id = $1 returning ${columns}`,
            [id],
          );
          return rows[0];
        },
        'notification.channel.delete',
      ),

    async noteTest(row: ChannelRow, isSent: boolean, actor: Actor): Promise<void> {
      await pool.query(auditStatement(actor, entryOf('notification.channel.test', row, { ok: isSent })));
    },
  };
}

const listed = (values: ChannelValues): unknown[] => [
  values.name,
  values.type,
  JSON.stringify(values.settings),
  JSON.stringify(values.secrets),
  JSON.stringify(values.filters),
  values.on_success,
  values.on_failure,
  values.on_start,
  values.is_enabled,
];

/** Settings stay out of it: an address may be as good as a password. */
const entryOf = (action: string, row: ChannelRow, details: Record<string, unknown> = {}): AuditEntry => ({
  action,
  target: `channel ${row.id}`,
  teamId: row.team_id,
  details: { name: row.name, type: row.type, ...details },
});
