import type pg from 'pg';
import { inTransaction } from '../../db/transaction.ts';
import type { Actor } from '../../identity/access.ts';
import { defaultTtlSeconds, type ServiceState } from './service-state.ts';
import type { GivenLine } from './services.schemas.ts';

export type ServiceRow = {
  id: string;
  type: string;
  name: string;
  owner_id: string | null;
  url: string | null;
  version: string | null;
  region: string | null;
  public_key: string | null;
  metadata: Record<string, unknown> | null;
  monitoring: { now: string; lines: GivenLine[] } | null;
  ttl_seconds: number | null;
  registered_at: Date;
  last_heartbeat: Date;
};

/** What a beat may say about a service; undefined leaves as it was, '' clears. */
export type ServiceFields = {
  url?: string | undefined;
  version?: string | undefined;
  region?: string | undefined;
  public_key?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
  monitoring?: { now: string; lines: GivenLine[] } | undefined;
  ttl_seconds?: number | undefined;
};

export type BeatRow = {
  /** Becomes the id of the service if this beat makes it. */
  id: string;
  type: string;
  name: string;
  /** Null is Faultline itself, which may write what it likes. */
  ownerId: string | null;
  isAdmin: boolean;
  fields: ServiceFields;
  /** For the audit entry of a registration; Faultline's own processes have none. */
  actor: Actor | null;
};

export type ServiceTransition = { service: ServiceRow; from: ServiceState; to: ServiceState };
/** Called in the transaction that notes the change: what it writes through the client exists if and only if the change was noted. */
export type OnTransition = (client: pg.ClientBase, transition: ServiceTransition) => Promise<void>;

export type ServicesStore = ReturnType<typeof createServicesStore>;

const sweepPortion = 500;

const columns = `s.id, s.type, s.name, s.owner_id, s.url, s.version, s.region, s.public_key, s.metadata, s.monitoring, s.ttl_seconds,
  s.registered_at, s.last_heartbeat`;
const olderThan = (now: string, ttls: number): string =>
  `${now} > s.last_heartbeat + make_interval(secs => ${ttls} * coalesce(s.ttl_seconds, ${defaultTtlSeconds}))`;
const isStale = (now: string): string => olderThan(now, 1);
const isGone = (now: string): string => olderThan(now, 2);

/** What is gone is as good as deleted: the beat makes a new service in its place. */
const setsOf = (names: string[], kept: (name: string) => string): string =>
  names
    .map(
      (name) => `${name} = case when ${isGone('excluded.last_heartbeat')} then excluded.${name} else ${kept(name)} end`,
    )
    .join(',\n           ');

const writeBeats = `
  with given as (
    select * from unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
      $10::text[], $11::integer[], $12::text[], $13::text[], $14::text[])
      g (id, type, name, owner_id, url, version, region, public_key, metadata, monitoring, ttl_seconds, actor_name, address, request_id)
  ), written as (
    insert into services as s (id, type, name, owner_id, url, version, region, public_key, metadata, monitoring, ttl_seconds,
      registered_at, last_heartbeat)
    select id, type, name, owner_id, url, version, region, public_key, metadata::json, monitoring::json, ttl_seconds, $15, $15
    -- One order for all, so that no two processes wait for each other.
    from given order by type, name
    on conflict (type, name) do update set
           ${setsOf(['id', 'owner_id', 'registered_at'], (name) => `s.${name}`)},
           ${setsOf(
             ['url', 'version', 'region', 'public_key', 'metadata', 'monitoring', 'ttl_seconds'],
             (name) => `coalesce(excluded.${name}, s.${name})`,
           )},
           last_heartbeat = greatest(s.last_heartbeat, excluded.last_heartbeat)
    where excluded.owner_id is null or s.owner_id = excluded.owner_id or excluded.owner_id = any ($16::uuid[])
      or ${isGone('excluded.last_heartbeat')}
    returning s.id, s.type, s.name
  ), audited as (
    insert into audit_log (actor_id, actor_name, action, target, address, request_id)
    -- The id that was offered is the id that it has: this beat made it.
    select g.owner_id, g.actor_name, 'service.register', 'service ' || g.type || ' ' || g.name, g.address, g.request_id
    from written w join given g on g.id = w.id where g.actor_name is not null
  )
  select type, name from written`;

export function createServicesStore(pool: pg.Pool) {
  return {
    /** One statement for all; no two rows for the same service. Answers those that were taken: the others belong to somebody else. */
    async write(rows: BeatRow[], now: number): Promise<{ type: string; name: string }[]> {
      const each = <T>(value: (row: BeatRow) => T): T[] => rows.map(value);
      const written = await pool.query<{ type: string; name: string }>({
        name: 'services-beat',
        text: writeBeats,
        values: [
          each(({ id }) => id),
          each(({ type }) => type),
          each(({ name }) => name),
          each(({ ownerId }) => ownerId),
          each(({ fields }) => fields.url ?? null),
          each(({ fields }) => fields.version ?? null),
          each(({ fields }) => fields.region ?? null),
          each(({ fields }) => fields.public_key ?? null),
          each(({ fields }) => json(fields.metadata)),
          each(({ fields }) => json(fields.monitoring)),
          each(({ fields }) => fields.ttl_seconds ?? null),
          each(({ actor }) => actor?.userName ?? null),
          each(({ actor }) => actor?.address ?? null),
          each(({ actor }) => actor?.requestId ?? null),
          new Date(now),
          rows.flatMap(({ isAdmin, ownerId }) => (isAdmin && ownerId !== null ? [ownerId] : [])),
        ],
      });
      return written.rows;
    },

    /** Up to two for each of these users, which is enough to see whether there is exactly one. */
    async listOwned(ownerIds: string[], now: number): Promise<{ owner_id: string; type: string; name: string }[]> {
      const { rows } = await pool.query<{ owner_id: string; type: string; name: string }>(
        `select o.id as owner_id, s.type, s.name from unnest($1::uuid[]) o (id),
           lateral (select * from services s where s.owner_id = o.id and not (${isGone('$2::timestamptz')}) limit 2) s`,
        [ownerIds, new Date(now)],
      );
      return rows;
    },

    async list(type: string, after: string, limit: number, now: number): Promise<ServiceRow[]> {
      const { rows } = await pool.query<ServiceRow>(
        `select ${columns} from services s where s.type = $1 and s.name > $2 and not (${isGone('$3::timestamptz')})
         order by s.name limit $4`,
        [type, after, new Date(now), limit],
      );
      return rows;
    },

    async listTypes(now: number): Promise<{ type: string; alive: number; stale: number }[]> {
      const { rows } = await pool.query<{ type: string; alive: number; stale: number }>(
        `select s.type, (count(*) filter (where not (${isStale('$1::timestamptz')})))::integer as alive,
           (count(*) filter (where ${isStale('$1::timestamptz')}))::integer as stale
         from services s where not (${isGone('$1::timestamptz')}) group by s.type order by s.type`,
        [new Date(now)],
      );
      return rows;
    },

    /** `by` null is Faultline itself, which writes no audit entry about its own coming and going. */
    delete: (
      key: { type: string; name: string },
      by: { ownerId: string; isAdmin: boolean; actor: Actor } | null,
      now: number,
    ): Promise<'deleted' | 'foreign' | 'unknown'> =>
      inTransaction(pool, async (client) => {
        const { rows } = await client.query<{ id: string; owner_id: string | null; is_gone: boolean }>(
          `select s.id, s.owner_id, ${isGone('$3::timestamptz')} as is_gone from services s where s.type = $1 and s.name = $2 for update`,
          [key.type, key.name, new Date(now)],
        );
        const found = rows.at(0);
        // What is gone is left to the sweep, which tells others.
        if (!found || found.is_gone) return 'unknown';
        if (by && !by.isAdmin && found.owner_id !== by.ownerId) return 'foreign';
        await client.query('delete from services where id = $1', [found.id]);
        if (by) {
          const { actor } = by;
          await client.query(
            `insert into audit_log (actor_id, actor_name, action, target, address, request_id) values ($1, $2, 'service.delete', $3, $4, $5)`,
            [actor.userId, actor.userName, `service ${key.type} ${key.name}`, actor.address, actor.requestId],
          );
        }
        return 'deleted';
      }),

    /**
     * Notes what changed since it was last noted, and deletes what is gone. However many processes do this at once, each change is noted in
     * one of them: the rows are locked, and what another process holds is left to it. Answers how many, so that one can ask for more.
     */
    sweep: (now: number, onTransition: OnTransition): Promise<number> =>
      inTransaction(pool, async (client) => {
        const { rows } = await client.query<ServiceRow & { was: ServiceState; noted_state: ServiceState }>(
          `with due as (
             select s.id, s.noted_state as was,
               case when ${isGone('$1::timestamptz')} then 'gone' when ${isStale('$1::timestamptz')} then 'stale' else 'alive' end as state
             from services s
             where ${isGone('$1::timestamptz')}
               or s.noted_state = 'alive' and ${isStale('$1::timestamptz')}
               -- Not by the clock alone: that of another process may be a little behind.
               or s.noted_state = 'stale' and s.last_heartbeat > s.noted_beat and not (${isStale('$1::timestamptz')})
             order by s.type, s.name limit ${sweepPortion} for update skip locked
           )
           update services s set noted_state = due.state, noted_beat = s.last_heartbeat from due where s.id = due.id
           returning ${columns}, due.was, s.noted_state`,
          [new Date(now)],
        );
        for (const { was, noted_state: to, ...service } of rows) await onTransition(client, { service, from: was, to });
        const gone = rows.filter(({ noted_state: state }) => state === 'gone');
        if (gone.length > 0) {
          await client.query(
            `with gone as (delete from services where id = any ($1::uuid[]) returning type, name)
             insert into audit_log (actor_name, action, target)
             select 'system', 'service.expire', 'service ' || type || ' ' || name from gone`,
            [gone.map(({ id }) => id)],
          );
        }
        return rows.length;
      }),
  };
}

const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));
