import type pg from 'pg';
import { auditStatement } from '../db/audit.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../identity/access.ts';
import type { TeamConfig } from './config-check.ts';
import type { PlannedChunk } from './run-plan.ts';

/** The trial of figures that are none. */
export const noTrial = '00000000-0000-0000-0000-000000000000';

export type Run = {
  team_id: string;
  /** Ids ascend with time, so a later run has a greater id: that is how figures know which of two is newer. */
  id: string;
  day: string;
  config: TeamConfig;
  counts_whole_day: boolean;
  is_trial: boolean;
  instance_id: string | null;
  started_at: Date;
  finished_at: Date | null;
  error: string | null;
};
export type RunWithProgress = Run & { chunks: number; done: number; nodes: number };
export type Chunk = { stage: number; label: string; from_node: number; to_node: number | null; nodes: number | null };

export const trialOf = (run: Pick<Run, 'id' | 'is_trial'>): string => (run.is_trial ? run.id : noTrial);

export type RunsStore = ReturnType<typeof createRunsStore>;

export function createRunsStore(pool: pg.Pool) {
  async function create(run: Omit<Run, 'instance_id' | 'finished_at' | 'error'>, actor: Actor): Promise<void> {
    const { team_id: teamId, id, day, is_trial: isTrial } = run;
    await inTransaction(pool, async (client) => {
      await client.query(
        `insert into qos_runs (team_id, id, day, config, counts_whole_day, is_trial, started_at)
         values ($1, $2, $3, $4, $5, $6, $7)`,
        [teamId, id, day, JSON.stringify(run.config), run.counts_whole_day, isTrial, run.started_at],
      );
      const details = { day, labels: Object.keys(run.config), ...(isTrial && { dry_run: true }) };
      await client.query(auditStatement(actor, { action: 'qos.compute', target: `qos run ${id}`, teamId, details }));
    });
  }

  async function noteInstance(teamId: string, id: string, instanceId: string): Promise<void> {
    await pool.query('update qos_runs set instance_id = $3 where team_id = $1 and id = $2', [teamId, id, instanceId]);
  }

  async function find(teamId: string, id: string): Promise<RunWithProgress | undefined> {
    const { rows } = await pool.query<RunWithProgress>(`${selectRuns} and r.id = $2`, [teamId, id]);
    return rows[0];
  }

  /** Newest first. */
  async function list(teamId: string, page: { limit: number; day: string | undefined }): Promise<RunWithProgress[]> {
    const { rows } = await pool.query<RunWithProgress>(
      `${selectRuns} and ($2::date is null or r.day = $2) order by r.id desc limit $3`,
      [teamId, page.day ?? null, page.limit],
    );
    return rows;
  }

  /** Once it is there, a plan stays: a second look gives the same chunks, and what was done stays done. Of a finished run all is done again. */
  async function savePlan(run: Run, instanceId: string, chunks: PlannedChunk[]): Promise<number> {
    return inTransaction(pool, async (client) => {
      const key = [run.team_id, run.id];
      const { rows } = await client.query<{ finished_at: Date | null; chunks: number }>(
        `select r.finished_at, (select count(*)::int from qos_chunks c where c.team_id = r.team_id and c.run_id = r.id) as chunks
         from qos_runs r where r.team_id = $1 and r.id = $2 for update`,
        key,
      );
      if (rows.length === 0) throw new Error('The run has been deleted.');
      if (rows[0].finished_at === null && rows[0].chunks > 0) return rows[0].chunks;
      await client.query('delete from qos_chunks where team_id = $1 and run_id = $2', key);
      await client.query(
        'update qos_runs set instance_id = $3, finished_at = null, error = null where team_id = $1 and id = $2',
        [...key, instanceId],
      );
      await client.query(
        `insert into qos_chunks (team_id, run_id, position, stage, label, from_node, to_node)
         select $1, $2, (place - 1)::int, stage, label, from_node, to_node
         from unnest($3::int[], $4::text[], $5::int[], $6::int[]) with ordinality c (stage, label, from_node, to_node, place)`,
        [
          ...key,
          chunks.map(({ stage }) => stage),
          chunks.map(({ label }) => label),
          chunks.map(({ fromNode }) => fromNode),
          chunks.map(({ toNode }) => toNode),
        ],
      );
      return chunks.length;
    });
  }

  async function findChunk(teamId: string, runId: string, position: number): Promise<Chunk | undefined> {
    const { rows } = await pool.query<Chunk>(
      `select stage, label, from_node, to_node, nodes from qos_chunks where team_id = $1 and run_id = $2 and position = $3`,
      [teamId, runId, position],
    );
    return rows[0];
  }

  async function isStageReady(teamId: string, runId: string, stage: number): Promise<boolean> {
    const { rows } = await pool.query(
      'select from qos_chunks where team_id = $1 and run_id = $2 and stage < $3 and nodes is null limit 1',
      [teamId, runId, stage],
    );
    return rows.length === 0;
  }

  /** Trials are looked at soon or never. */
  async function expireTrials(before: Date): Promise<void> {
    const { rows } = await pool.query<{ team_id: string; id: string }>(
      'select team_id, id from qos_runs where is_trial and started_at < $1 limit 20',
      [before],
    );
    for (const { team_id: teamId, id } of rows) {
      for (const table of ['qos_figures', 'qos_check_figures', 'qos_label_figures']) {
        await pool.query(`delete from ${table} where team_id = $1 and trial = $2`, [teamId, id]);
      }
      await pool.query('delete from qos_runs where team_id = $1 and id = $2', [teamId, id]);
    }
  }

  /** How the work was cut is of no interest any more; a portion at a time. */
  async function expireChunks(before: Date): Promise<void> {
    await pool.query(
      `with old as (
         select r.team_id, r.id from qos_runs r
         where r.started_at < $1 and exists (select from qos_chunks c where c.team_id = r.team_id and c.run_id = r.id) limit 20
       )
       delete from qos_chunks c using old where c.team_id = old.team_id and c.run_id = old.id`,
      [before],
    );
  }

  /** Teams with a configuration. */
  async function listTeams(): Promise<string[]> {
    const { rows } = await pool.query<{ team_id: string }>('select team_id from current_configs order by team_id');
    return rows.map(({ team_id: teamId }) => teamId);
  }

  return {
    create,
    noteInstance,
    find,
    list,
    savePlan,
    findChunk,
    isStageReady,
    expireTrials,
    expireChunks,
    listTeams,
  };
}

const selectRuns = `
  select r.team_id, r.id, r.day::text as day, r.config, r.counts_whole_day, r.is_trial, r.instance_id, r.started_at, r.finished_at, r.error,
    c.chunks, c.done, c.nodes
  from qos_runs r
  cross join lateral (
    select count(*)::int as chunks, count(nodes)::int as done, coalesce(sum(nodes), 0)::int as nodes
    from qos_chunks where team_id = r.team_id and run_id = r.id
  ) c
  where r.team_id = $1`;
