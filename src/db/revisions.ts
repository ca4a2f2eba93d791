import { type Kysely, sql } from 'kysely';
import type { Tables } from './tables.ts';

/**
 * How caches in several processes stay honest without a query a request: whoever changes something raises its topic's
 * revision in the same transaction, and a cache that sees a new revision forgets what it knew.
 */
export async function bumpRevision(trx: Kysely<Tables>, topic: string): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('revisions')
    .set({ revision: sql<string>`revision + 1` })
    .where('topic', '=', topic)
    .executeTakeFirst();
  // A topic that no migration created would be watched by nobody.
  if (numUpdatedRows !== 1n) throw new Error(`There is no revision topic "${topic}".`);
}

export type RevisionWatch = {
  /** The newest known revision; a promise only when what is known is too old to use. */
  fresh(topic: string): Promise<number> | number;
  /** What is known no longer counts: the next call reads. */
  expire(): void;
};

type WatchSettings = { db: Kysely<Tables>; clock: () => number; refreshAfterMs?: number; maxAgeMs?: number };

/**
 * All callers share one query.
 *
 *   age of what is known   0 ───── refreshAfterMs ───────────── maxAgeMs ─────▶
 *   fresh() answers        at once  at once, reads meanwhile     after reading
 */
export function createRevisionWatch(settings: WatchSettings): RevisionWatch {
  const { db, clock, refreshAfterMs = 300, maxAgeMs = 900 } = settings;
  let known: Revisions = new Map();
  let knownAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<Revisions> | undefined;

  /** Joins the query that is under way, if there is one. */
  function read(): Promise<Revisions> {
    if (reading) return reading;
    // The age counts from before the query: a change during it may not be in the answer.
    const startedAt = clock();
    const mine: Promise<Revisions> = readRevisions(db)
      .then((revisions) => {
        // After expire() this reading may have missed the change that made it expire: it answers who waited, no more.
        if (reading === mine) {
          known = revisions;
          knownAt = startedAt;
        }
        return revisions;
      })
      .finally(() => {
        if (reading === mine) reading = undefined;
      });
    reading = mine;
    return mine;
  }

  return {
    fresh(topic) {
      const ageMs = clock() - knownAt;
      if (ageMs > maxAgeMs) return read().then((revisions) => revisionIn(revisions, topic));
      // A failure here is no news to anybody yet: if it lasts, the calls that must wait will tell.
      if (ageMs > refreshAfterMs) read().catch(() => {});
      return revisionIn(known, topic);
    },
    expire() {
      knownAt = Number.NEGATIVE_INFINITY;
      reading = undefined;
    },
  };
}

type Revisions = ReadonlyMap<string, number>;

function revisionIn(revisions: Revisions, topic: string): number {
  const revision = revisions.get(topic);
  if (revision === undefined) throw new Error(`There is no revision topic "${topic}".`);
  return revision;
}

async function readRevisions(db: Kysely<Tables>): Promise<Revisions> {
  const rows = await db.selectFrom('revisions').select(['topic', 'revision']).execute();
  return new Map(rows.map(({ topic, revision }) => [topic, Number(revision)]));
}
