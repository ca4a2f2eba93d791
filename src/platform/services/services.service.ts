import { randomUUID } from 'node:crypto';
import { createBatches } from '../../batches.ts';
import type { Clock } from '../../clock.ts';
import type { Log } from '../../db/open.ts';
import { badRequest, forbidden, notFound, unavailable } from '../../errors.ts';
import type { Actor } from '../../identity/access.ts';
import { foldBeats } from './beats.ts';
import type { BeatBody } from './services.schemas.ts';
import type { BeatRow, OnTransition, ServiceFields, ServiceRow, ServicesStore } from './services.store.ts';

export type ServicesService = ReturnType<typeof createServicesService>;

/** Who beats: a record belongs to the user of the token that made it, and administrators may do as its owner. */
export type Beater = { userId: string; isAdmin: boolean; actor: Actor };

/** Of a list, and as of when. */
export type ServicePage = { now: number; services: ServiceRow[] };

type WaitingBeat = { body: BeatBody; beater: Beater };
type Outcome = 'taken' | 'foreign' | 'owns none' | 'owns several';

const maxBatch = 2000;
const maxWaiting = 20_000;
const pageSize = 500;
const sweepEveryMs = 1000;

/**
 * The registry. Beats that arrive within a window share one statement: what costs is the statement, not the row, and nobody who beats every
 * half minute minds a quarter of a second.
 */
export function createServicesService(deps: {
  store: ServicesStore;
  clock: Clock;
  log: Log;
  onTransition?: OnTransition | undefined;
  windowMs?: number | undefined;
  /** While nothing ran here nobody could be heard: those who live have this long to say so before anybody is told that they are gone. */
  firstSweepMs?: number | undefined;
}) {
  const { store, clock, log, onTransition = async () => undefined, windowMs = 250, firstSweepMs = 60_000 } = deps;
  const beats = createBatches<WaitingBeat, Outcome>(writeAll, { maxItems: maxBatch, maxWaiting, windowMs });

  async function writeAll(waiting: WaitingBeat[]): Promise<Outcome[]> {
    const now = clock();
    const owned = await listOwned(waiting, now);
    const outcomes = waiting.map(({ body, beater }): Outcome => {
      if (body.type !== undefined) return 'foreign'; // unless it is taken below
      return (owned.get(beater.userId) ?? []).length > 1 ? 'owns several' : 'owns none';
    });
    const rows = waiting.map(({ body, beater }): BeatRow | undefined => {
      const mine = owned.get(beater.userId) ?? [];
      const key = keyOf(body) ?? (mine.length === 1 ? mine[0] : undefined);
      return (
        key && {
          ...key,
          id: randomUUID(),
          ownerId: beater.userId,
          isAdmin: beater.isAdmin,
          actor: beater.actor,
          fields: fieldsOf(body, now),
        }
      );
    });
    for (const round of foldBeats(rows)) {
      const written = await store.write(
        round.map(({ row }) => row),
        now,
      );
      const taken = new Set(written.map(({ type, name }) => JSON.stringify([type, name])));
      for (const { row, beats } of round) {
        if (taken.has(JSON.stringify([row.type, row.name]))) for (const beat of beats) outcomes[beat] = 'taken';
      }
    }
    return outcomes;
  }

  /** Only for those who named no service. */
  async function listOwned(
    waiting: WaitingBeat[],
    now: number,
  ): Promise<Map<string, { type: string; name: string }[]>> {
    const nameless = waiting.filter(({ body }) => body.type === undefined).map(({ beater }) => beater.userId);
    const owned = new Map<string, { type: string; name: string }[]>();
    if (nameless.length === 0) return owned;
    for (const { owner_id: ownerId, type, name } of await store.listOwned([...new Set(nameless)], now)) {
      owned.set(ownerId, [...(owned.get(ownerId) ?? []), { type, name }]);
    }
    return owned;
  }

  async function sweep(): Promise<void> {
    for (let swept = 1; swept > 0; ) {
      swept = await store.sweep(clock(), onTransition);
      if (swept > 0) log.info({ services: swept }, 'services changed their state');
    }
  }

  let sweeping: Promise<void> | undefined;
  let isClosed = false;
  function sweepOnce(): void {
    if (isClosed) return;
    sweeping ??= sweep()
      .catch((error: unknown) => log.warn({ err: error }, 'services could not be swept'))
      .finally(() => {
        sweeping = undefined;
      });
  }
  let sweeper: NodeJS.Timeout | undefined;
  const starter = setTimeout(() => {
    sweepOnce();
    sweeper = setInterval(sweepOnce, sweepEveryMs).unref();
  }, firstSweepMs).unref();

  return {
    /** Resolves when the beat is written. */
    async beat(body: BeatBody, beater: Beater): Promise<void> {
      if (beats.isFull()) throw unavailable('Too many heartbeats wait to be written; beat again in a moment.');
      const outcome = await beats.add({ body, beater });
      if (outcome === 'foreign') {
        throw forbidden(
          `The service ${body.type ?? ''} ${body.name ?? ''} belongs to another user; beat with a token of that user, or under another name.`,
        );
      }
      if (outcome === 'owns none') {
        throw notFound('This beat names no service, and your user owns none; send "type" and "name" to register one.');
      }
      if (outcome === 'owns several') {
        throw badRequest('This beat names no service, and your user owns several; send "type" and "name".');
      }
    },

    /** Faultline's own processes: at once, and nobody has to own them. */
    async beatOwn(body: BeatBody & { type: string; name: string }): Promise<void> {
      const now = clock();
      const { type, name } = body;
      const fields = fieldsOf(body, now);
      await store.write([{ id: randomUUID(), type, name, ownerId: null, isAdmin: true, actor: null, fields }], now);
    },

    async deleteOwn(type: string, name: string): Promise<void> {
      await store.delete({ type, name }, null, clock());
    },

    /** Sorted by name, a page at a time; all pages as of one moment. */
    async *list(type: string): AsyncGenerator<ServicePage, void> {
      const now = clock();
      for (let after = ''; ; ) {
        const services = await store.list(type, after, pageSize, now);
        yield { now, services };
        if (services.length < pageSize) return;
        after = services[services.length - 1].name;
      }
    },

    listTypes: () => store.listTypes(clock()),

    async delete(type: string, name: string, { userId: ownerId, isAdmin, actor }: Beater): Promise<void> {
      const outcome = await store.delete({ type, name }, { ownerId, isAdmin, actor }, clock());
      if (outcome === 'unknown') throw unknownService();
      if (outcome === 'foreign') {
        throw forbidden('This service belongs to another user; only that user or an administrator may delete it.');
      }
    },

    sweep,

    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(starter);
      clearInterval(sweeper);
      await beats.idle();
      await sweeping;
    },
  };
}

export const unknownService = () => notFound('There is no such service; GET /services/{type} lists those of a type.');

const keyOf = ({ type, name }: BeatBody): { type: string; name: string } | undefined =>
  type === undefined || name === undefined ? undefined : { type, name };

/** The row keeps '' for what was cleared. */
const text = (value: string | null | undefined): string | undefined => (value === null ? '' : value);

function fieldsOf(body: BeatBody, now: number): ServiceFields {
  const { metadata, monitoring_status: status } = body;
  return {
    url: text(body.url),
    version: text(body.version),
    region: text(body.region),
    public_key: text(body.public_key),
    metadata: metadata === null ? {} : metadata,
    monitoring: status && { now: new Date(status.now ?? now).toISOString(), lines: status.lines },
    ttl_seconds: body.ttl_seconds,
  };
}
