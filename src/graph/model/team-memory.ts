import { type Base, baseBytes } from './base.ts';

export type Team = {
  epoch: string;
  base: Base;
  baseBytes: number;
  version: number;
  /** Everything since the base: a thread that is replaced, and the next base, are made from it. */
  payloads: Uint8Array[];
  changes: number;
  /** Somebody asked since the base was made: threads may have to keep the changes decoded. */
  isAsked: boolean;
  /** The newest batch that was prepared, and how many are being prepared: as long as one is on its way to the rows, a load is not over. */
  preparedVersion: number;
  preparing: number;
  rebuilding: Promise<void> | undefined;
  cancelIdleRebuild: () => void;
};

export type TeamStats = { teamId: string; version: number; nodes: number; relationships: number; bytes: number };

/** What a change costs in the maps of one thread: 201 bytes were measured for new relationships. */
const OVERLAY_BYTES_PER_CHANGE = 200;

/** The teams whose graphs are in memory, within a budget: the least recently used leave first. */
export function createTeamMemory(options: {
  budgetBytes: number;
  /** Each thread keeps the changes of a team for itself. */
  threads: number;
  log: { info(fields: object, message: string): void };
  onLeft(teamId: string): void;
}) {
  const { budgetBytes, threads, log, onLeft } = options;
  /** Least recently used first. */
  const teams = new Map<string, Team>();

  const bytesOf = (team: Team): number => team.baseBytes + team.changes * OVERLAY_BYTES_PER_CHANGE * threads;

  function add(teamId: string, epoch: string, base: Base): void {
    const { version } = base;
    teams.set(teamId, {
      epoch,
      base,
      baseBytes: baseBytes(base),
      version,
      payloads: [],
      changes: 0,
      isAsked: false,
      preparedVersion: version,
      preparing: 0,
      rebuilding: undefined,
      cancelIdleRebuild() {},
    });
  }

  function use(teamId: string): Team {
    const team = teams.get(teamId);
    if (!team) throw new Error('the graph of this team is not in memory');
    teams.delete(teamId);
    teams.set(teamId, team);
    return team;
  }

  function evict(teamId: string): void {
    teams.get(teamId)?.cancelIdleRebuild();
    if (teams.delete(teamId)) onLeft(teamId);
  }

  function keepBudget(keep: string): void {
    let total = 0;
    for (const team of teams.values()) total += bytesOf(team);
    for (const [teamId, team] of teams) {
      if (total <= budgetBytes) return;
      if (teamId === keep) continue;
      total -= bytesOf(team);
      log.info({ teamId, bytes: bytesOf(team) }, 'graph left memory');
      evict(teamId);
    }
  }

  function listStats(): TeamStats[] {
    return [...teams].map(([teamId, team]) => ({
      teamId,
      version: team.version,
      nodes: team.base.nodeCount,
      relationships: team.base.relationshipCount,
      bytes: bytesOf(team),
    }));
  }

  return {
    get: (teamId: string): Team | undefined => teams.get(teamId),
    has: (teamId: string): boolean => teams.has(teamId),
    list: (): Iterable<[string, Team]> => teams,
    add,
    use,
    evict,
    keepBudget,
    listStats,
  };
}
