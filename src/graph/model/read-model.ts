import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { type Base, baseBytes } from './base.ts';
import { emptyBase } from './base-builder.ts';
import { createBuilderThread, type RowSource } from './builder-thread.ts';
import { peekChange } from './change-codec.ts';
import { createModelThreads, type PreparedDelete, type StreamedAnswer } from './model-threads.ts';
import type { Batch } from './prepare.ts';
import type { Prepared } from './prepared.ts';
import type { Answer } from './protocol.ts';
import type { GraphQuery } from './query.ts';
import { DEFAULT_REBUILD_POLICY, isIdleRebuildDue, isRebuildDue, type RebuildPolicy } from './rebuild.ts';
import { type RunLater, runWithTimer } from './run-later.ts';
import { toSharedU8 } from './shared-arrays.ts';
import { createSmallAnswers } from './small-answers.ts';
import { snapshotPath } from './snapshot.ts';
import { createTeamMemory, type Team, type TeamStats } from './team-memory.ts';

export type ReadModelOptions = {
  /** Model threads; by default one less than the cores, and two at least: one may be preparing a batch. */
  threads?: number;
  /** Where snapshots are kept; none are without it. */
  snapshotDir?: string;
  memoryBudgetBytes: number;
  rebuildPolicy?: RebuildPolicy;
  runLater?: RunLater;
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
};

export type LoadSource = {
  /** Tells histories apart that share version numbers; a snapshot of another one is not used. */
  epoch: string;
  /** The newest version a moment ago; zero: nothing was ever written. */
  version: number;
  /**
   * All payloads after that version, oldest first; undefined when the log does not reach back that far, or that version
   * never was one of this graph (a restored database).
   */
  changesSince(version: number): Promise<Uint8Array[] | undefined>;
  /** All rows at one version (one database snapshot). */
  rows(): Promise<RowSource>;
};

export type ReadModel = {
  /** Brings a team into memory, from its snapshot and the changes since, or from its rows. Answers its version. */
  load(teamId: string, source: LoadSource): Promise<number>;
  isLoaded(teamId: string): boolean;
  /** Undefined when the team is not in memory. */
  version(teamId: string): number | undefined;
  /**
   * Takes a committed change. `gap`: changes before it are missing, bring those first (or evict and load again).
   * `old` and `not_loaded` need nothing.
   */
  apply(teamId: string, payload: Uint8Array): 'applied' | 'old' | 'gap' | 'not_loaded';
  query(teamId: string, query: GraphQuery): Promise<Answer>;
  stream(teamId: string, query: GraphQuery): Promise<StreamedAnswer>;
  /** See `Writer`. A prepared batch becomes visible by `apply` of its payload, after its transaction. */
  prepare(teamId: string, batch: Batch): Promise<Prepared>;
  prepareDelete(teamId: string, label: string, name: string, detach: boolean): Promise<PreparedDelete>;
  /** Forgets every batch that is prepared and not applied. */
  rollback(teamId: string): void;
  evict(teamId: string): void;
  /** Evicts a team that is no more, and removes its snapshot. */
  forget(teamId: string): Promise<void>;
  stats(): { bytes: number; teams: TeamStats[]; queued: number[] };
  /** Rebuilds now if anything changed since the base, and waits for the snapshot; for an orderly stop, so that it is fresh. */
  rebuild(teamId: string): Promise<void>;
  close(): Promise<void>;
};

/**
 * Every team's graph in memory. Rows are the truth; this is what answers.
 *
 *   rows, or snapshot ─▶ builder thread ─▶ base (shared memory, immutable) ─┬─▶ model thread 1: base + overlay
 *                              ▲                                            └─▶ model thread 2: base + overlay
 *                              │ base + payloads, when there are many                    ▲
 *   prepare ─▶ transaction ─▶ apply(payload) ────────────────────────────────────────────┘
 */
export function createReadModel(options: ReadModelOptions): ReadModel {
  const {
    log,
    snapshotDir,
    memoryBudgetBytes,
    rebuildPolicy = DEFAULT_REBUILD_POLICY,
    runLater = runWithTimer,
  } = options;
  const threadCount = options.threads ?? Math.max(2, availableParallelism() - 1);
  const loading = new Map<string, Promise<number>>();
  let isClosed = false;
  const answerSmall = createSmallAnswers();
  const builder = createBuilderThread(log, { runLater });
  const teams = createTeamMemory({
    budgetBytes: memoryBudgetBytes,
    threads: threadCount,
    log,
    onLeft: (teamId) => threads.broadcast({ type: 'drop', teamId }),
  });
  const threads = createModelThreads({
    threads: threadCount,
    log,
    introduce(post) {
      for (const [teamId, { base, payloads }] of teams.list()) post({ type: 'base', teamId, base, payloads });
    },
    onBroken(teamId, cause) {
      if (!teams.has(teamId)) return;
      log.warn({ teamId, cause }, 'graph left memory: a change could not be applied');
      teams.evict(teamId);
    },
  });

  function useForQuestion(teamId: string): Team {
    const team = teams.use(teamId);
    if (team.isAsked) return team;
    team.isAsked = true;
    if (isRebuildDue(team, rebuildPolicy)) rebuildInBackground(teamId, team);
    return team;
  }

  function snapshotPlace(teamId: string, epoch: string) {
    return snapshotDir === undefined
      ? undefined
      : { path: snapshotPath(snapshotDir, teamId), teamId: `${teamId} ${epoch}` };
  }

  function install(teamId: string, epoch: string, base: Base): void {
    teams.add(teamId, epoch, base);
    threads.broadcast({ type: 'base', teamId, base, payloads: [] });
  }

  async function loadFromSnapshot(teamId: string, source: LoadSource): Promise<boolean> {
    const place = snapshotPlace(teamId, source.epoch);
    const base = place && (await builder.readSnapshot(place));
    const changes = base && (await source.changesSince(base.version));
    if (!base || !changes) return false;
    install(teamId, source.epoch, base);
    for (const payload of changes) {
      if (apply(teamId, payload) !== 'gap') continue;
      teams.evict(teamId);
      return false;
    }
    return true;
  }

  async function load(teamId: string, source: LoadSource): Promise<number> {
    // Nobody has to be woken to find out that there is nothing.
    if (source.version === 0) install(teamId, source.epoch, emptyBase());
    else if (!(await loadFromSnapshot(teamId, source))) {
      const base = await builder.build(await source.rows(), snapshotPlace(teamId, source.epoch));
      install(teamId, source.epoch, base);
    }
    teams.keepBudget(teamId);
    return teams.use(teamId).version;
  }

  function apply(teamId: string, payload: Uint8Array): 'applied' | 'old' | 'gap' | 'not_loaded' {
    const team = teams.get(teamId);
    if (!team) return 'not_loaded';
    const { version, size } = peekChange(payload);
    if (version <= team.version) return 'old';
    if (version > team.version + 1) return 'gap';
    // In shared memory once, instead of copied to every thread; what a writer prepared is there already.
    const shared = payload.buffer instanceof SharedArrayBuffer ? payload : toSharedU8(payload);
    team.payloads.push(shared);
    team.version = version;
    team.changes += size;
    threads.broadcast({ type: 'apply', teamId, payload: shared });
    team.cancelIdleRebuild();
    if (isRebuildDue(team, rebuildPolicy)) rebuildInBackground(teamId, team);
    else if (isIdleRebuildDue(team.base, team.changes, rebuildPolicy)) rebuildWhenIdle(teamId, team);
    return 'applied';
  }

  function rebuildWhenIdle(teamId: string, team: Team): void {
    team.cancelIdleRebuild = runLater(rebuildPolicy.idleMs, () => {
      if (teams.get(teamId) !== team || isClosed) return;
      if (team.preparing > 0 || team.preparedVersion > team.version) rebuildWhenIdle(teamId, team);
      else rebuildInBackground(teamId, team);
    });
  }

  function rebuildInBackground(teamId: string, team: Team): void {
    if (team.rebuilding) return;
    rebuildTeam(teamId, team).catch((error: unknown) => {
      if (!isClosed) log.warn({ teamId, cause: String(error) }, 'graph not rebuilt');
    });
  }

  function rebuildTeam(teamId: string, team: Team): Promise<void> {
    team.rebuilding ??= replaceBase(teamId, team).finally(() => {
      team.rebuilding = undefined;
    });
    return team.rebuilding;
  }

  async function replaceBase(teamId: string, team: Team): Promise<void> {
    const { payloads, changes } = team;
    const taken = payloads.length;
    const base = await builder.rebuild(team.base, payloads.slice(), snapshotPlace(teamId, team.epoch));
    // Evicted, or loaded anew, in the meantime.
    if (teams.get(teamId) !== team) return;
    team.base = base;
    team.baseBytes = baseBytes(base);
    team.payloads = payloads.slice(taken);
    team.changes -= changes;
    team.isAsked = false;
    threads.broadcast({ type: 'base', teamId, base, payloads: team.payloads });
    teams.keepBudget(teamId);
    // What came meanwhile may have been the last for a while.
    team.cancelIdleRebuild();
    if (isIdleRebuildDue(base, team.changes, rebuildPolicy)) rebuildWhenIdle(teamId, team);
  }

  return {
    load(teamId, source) {
      const known = teams.get(teamId);
      if (known) return Promise.resolve(known.version);
      let promise = loading.get(teamId);
      if (!promise) {
        promise = load(teamId, source).finally(() => loading.delete(teamId));
        loading.set(teamId, promise);
      }
      return promise;
    },
    isLoaded: (teamId) => teams.has(teamId),
    version: (teamId) => teams.get(teamId)?.version,
    apply,
    query(teamId, query) {
      if (!teams.has(teamId)) return Promise.reject(new Error('the graph of this team is not in memory'));
      const { base, payloads } = useForQuestion(teamId);
      const small = payloads.length === 0 ? answerSmall(base, query) : undefined;
      return small ? Promise.resolve(small) : threads.query(teamId, query);
    },
    async stream(teamId, query) {
      useForQuestion(teamId);
      return threads.stream(teamId, query);
    },
    async prepare(teamId, batch) {
      return noteBatch(teams.use(teamId), threads.prepare(teamId, batch));
    },
    async prepareDelete(teamId, label, name, detach) {
      return noteBatch(teams.use(teamId), threads.prepareDelete(teamId, label, name, detach));
    },
    rollback(teamId) {
      const team = teams.get(teamId);
      if (team) team.preparedVersion = team.version;
      threads.rollback(teamId);
    },
    evict: teams.evict,
    async forget(teamId) {
      teams.evict(teamId);
      if (snapshotDir !== undefined) await rm(snapshotPath(snapshotDir, teamId), { force: true });
    },
    stats() {
      const list = teams.listStats();
      return { bytes: list.reduce((sum, { bytes }) => sum + bytes, 0), teams: list, queued: threads.queued() };
    },
    async rebuild(teamId) {
      const team = teams.get(teamId);
      if (team && (team.changes > 0 || team.rebuilding)) await rebuildTeam(teamId, team);
      await builder.whenDone();
    },
    async close() {
      isClosed = true;
      for (const [, team] of teams.list()) team.cancelIdleRebuild();
      await Promise.all([builder.close(), threads.close()]);
    },
  };
}

async function noteBatch<Result extends PreparedDelete>(team: Team, preparing: Promise<Result>): Promise<Result> {
  team.preparing++;
  try {
    const prepared = await preparing;
    // One that changes nothing has nothing to be applied.
    if (typeof prepared === 'object' && prepared.payload) team.preparedVersion = prepared.version;
    return prepared;
  } finally {
    team.preparing--;
  }
}
