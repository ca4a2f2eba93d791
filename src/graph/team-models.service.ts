import { notFound, unavailable } from '../errors.ts';
import type { GraphStore } from './graph.store.ts';
import type { ReadModel } from './model/read-model.ts';
import { createNewestVersion } from './newest-version.ts';

export type TeamModels = ReturnType<typeof createTeamModels>;

const waitForVersionMs = 2000;
const retryMs = 50;
const saveWithinMs = 8000;

/**
 * Keeps the read models as new as they have to be. With several processes on one database, every question first learns the newest version (one
 * small query for all who ask at the same moment), and what is missing is read from the change log; so a client reads its own writes on
 * any process. A process that has the database to itself knows the newest version anyway.
 */
export function createTeamModels(deps: {
  store: GraphStore;
  readModel: ReadModel;
  isShared: boolean;
  /** What every question asks; the store's own unless there is a faster way. */
  listVersions?: GraphStore['listVersions'];
  sleep?: (ms: number) => Promise<void>;
}) {
  const { store, readModel, isShared, sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms)) } = deps;
  const newestVersion = createNewestVersion(deps.listVersions ?? ((teamIds) => store.listVersions(teamIds)));
  const catchingUp = new Map<string, Promise<void>>();
  const writing = new Map<string, Promise<unknown>>();

  async function load(teamId: string): Promise<void> {
    await readModel.load(teamId, {
      ...(await store.ensureGraph(teamId)),
      changesSince: (version) => changesSince(teamId, version),
      rows: () => store.openRows(teamId),
    });
  }

  /** Undefined when the change log no longer reaches back so far, or the version is not one of this history. */
  async function changesSince(teamId: string, version: number): Promise<Uint8Array[] | undefined> {
    const newest = (await store.listVersions([teamId])).get(teamId) ?? 0;
    return changesBetween(teamId, version, newest);
  }

  async function changesBetween(teamId: string, version: number, newest: number): Promise<Uint8Array[] | undefined> {
    if (newest <= version) return newest === version ? [] : undefined;
    const changes = await store.listChanges(teamId, version, newest);
    return changes.length === newest - version ? changes.map((change) => change.payload) : undefined;
  }

  async function readChanges(teamId: string): Promise<void> {
    const newest = (await store.listVersions([teamId])).get(teamId) ?? 0;
    // A version more, and we are writing: it is ours, or else our write is about to be told that it came too late. Both are known at once.
    if (newest === (readModel.version(teamId) ?? newest) + 1) await writing.get(teamId)?.catch(() => undefined);
    // Only now: our own write may have been applied meanwhile, and need not be read back.
    const version = readModel.version(teamId);
    if (version === undefined) return load(teamId);
    const payloads =
      version > newest ? await changesSince(teamId, version) : await changesBetween(teamId, version, newest);
    if (payloads === undefined || payloads.some((payload) => readModel.apply(teamId, payload) === 'gap')) {
      readModel.evict(teamId);
      await load(teamId);
    }
  }

  /** One reader of the log per team; who comes while it reads waits for it and looks again. */
  function catchUp(teamId: string): Promise<void> {
    let promise = catchingUp.get(teamId);
    if (!promise) {
      promise = readChanges(teamId).finally(() => catchingUp.delete(teamId));
      catchingUp.set(teamId, promise);
    }
    return promise;
  }

  async function ensureAtLeast(teamId: string, version: number): Promise<void> {
    while ((readModel.version(teamId) ?? -1) < version) await catchUp(teamId);
  }

  /** Now, the model of this team has everything that was written before this call. */
  async function ensureNewest(teamId: string): Promise<number> {
    const known = readModel.version(teamId);
    if (!isShared && known !== undefined) return known;
    const newest = await newestVersion(teamId);
    // Asked again, not taken from `known`: the team may have left memory while the database answered.
    await ensureAtLeast(teamId, newest);
    return readModel.version(teamId) ?? newest;
  }

  return {
    /** True where no promise is needed to know it; false only means: ask `ensure`. */
    isNewest(teamId: string, atLeast: number | undefined): boolean {
      const known = isShared ? undefined : readModel.version(teamId);
      return known !== undefined && (atLeast === undefined || known >= atLeast);
    },
    newestVersion,
    ensureNewest,
    /** A write of this process, until it is applied here: nobody has to read it back meanwhile. */
    noteWrite<Outcome>(teamId: string, write: Promise<Outcome>): Promise<Outcome> {
      const noted = write.finally(() => {
        if (writing.get(teamId) === noted) writing.delete(teamId);
      });
      writing.set(teamId, noted);
      return noted;
    },
    catchUp,

    /** As `ensureNewest`, and at least what the client has seen elsewhere; it may wait a little, not long. */
    async ensure(teamId: string, atLeast: number | undefined): Promise<void> {
      let version = await ensureNewest(teamId);
      if (atLeast === undefined || version >= atLeast) return;
      for (let waited = 0; waited < waitForVersionMs && version < atLeast; waited += retryMs) {
        await sleep(retryMs);
        version = await ensureNewest(teamId);
      }
      if (version < atLeast) {
        throw unavailable(
          `The graph is at version ${version}, and ${atLeast} did not arrive in time; try again, or leave X-Graph-Version out.`,
        );
      }
    },

    /** Another process wrote: be ready before anybody asks, if this team is asked for here at all. */
    async followChange(teamId: string): Promise<void> {
      if (readModel.isLoaded(teamId)) await catchUp(teamId);
    },

    /** For an orderly stop: the next start finds bases that are up to date. Not worth waiting for long. */
    async saveSnapshots(): Promise<void> {
      const rebuilds = readModel.stats().teams.map((team) => readModel.rebuild(team.teamId).catch(() => undefined));
      await Promise.race([Promise.all(rebuilds), sleep(saveWithinMs)]);
    },

    /** A team that was deleted takes its graph with it. */
    forget: (teamId: string): Promise<void> => readModel.forget(teamId),

    /** Finds what a lost notification did not tell. Teams that are gone leave memory. */
    async poll(): Promise<void> {
      const teamIds = readModel.stats().teams.map((team) => team.teamId);
      if (teamIds.length === 0) return;
      const newest = await store.listVersions(teamIds);
      for (const teamId of teamIds) {
        const version = newest.get(teamId);
        if (version === undefined) await readModel.forget(teamId);
        else if (version > (readModel.version(teamId) ?? 0)) await catchUp(teamId);
      }
    },
  };
}

export const unknownNode = () => notFound('There is no such node in this team.');
