/** Where to learn the newest revision of a topic; `db/revisions.ts` asks the database, at most a few times a second. */
export type Revisions = { fresh(topic: string): Promise<number> | number; expire(): void };

/**
 * Remembers what was read until the revision of `topic` changes. Whoever changes or removes something that is remembered raises the
 * revision in the same transaction, so no process uses an old value for longer than `Revisions` trusts its own reading.
 */
export function createRevisionCache<T>(options: { topic: string; revisions: Revisions; limit: number }) {
  const { topic, revisions, limit } = options;
  let entries = new Map<string, T>();
  let knownRevision = -1;

  function adopt(revision: number): void {
    if (revision === knownRevision) return;
    knownRevision = revision;
    entries = new Map();
  }

  return {
    async get(key: string, load: () => Promise<T | undefined>): Promise<T | undefined> {
      const revision = revisions.fresh(topic);
      adopt(typeof revision === 'number' ? revision : await revision);
      const target = entries;
      const known = target.get(key);
      if (known !== undefined) return known;
      const loaded = await load();
      // If something was forgotten while we read, `target` is no longer in use, and what we read may be old already.
      if (loaded !== undefined && target === entries) {
        if (target.size >= limit) target.clear();
        target.set(key, loaded);
      }
      return loaded;
    },

    /** What is remembered and certainly not old, without a promise. Undefined only means: ask `get`. */
    recall(key: string): T | undefined {
      const revision = revisions.fresh(topic);
      if (typeof revision !== 'number') {
        revision.catch(() => undefined); // whoever asks `get` next waits for the same reading, and hears of its failure
        return undefined;
      }
      adopt(revision);
      return entries.get(key);
    },

    /** What is remembered at this moment, without any check of its age. */
    peek: (key: string): T | undefined => entries.get(key),

    /** After a change by this process: nothing read before it is used again. */
    forget(): void {
      entries = new Map();
      revisions.expire();
    },
  };
}
