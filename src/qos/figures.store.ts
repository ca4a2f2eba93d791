import type pg from 'pg';
import { inTransaction } from '../db/transaction.ts';
import type { FigureRow } from './figures.ts';
import { type Run, trialOf } from './runs.store.ts';

export type CheckFigure = FigureRow & { checkId: string; checkName: string; points: number; failure: string | null };
export type ComputedChunk = { position: number; label: string; figures: FigureRow[]; checks: CheckFigure[] };

export type FiguresStore = ReturnType<typeof createFiguresStore>;

/** What runs write. A figure is only ever replaced by one of the same run or of a later one. */
export function createFiguresStore(pool: pg.Pool) {
  /** All of a chunk or nothing, together with the note that it is done: a chunk that is computed again doubles nothing. */
  async function writeChunk(run: Run, { position, label, figures, checks }: ComputedChunk): Promise<void> {
    const key = [run.team_id, trialOf(run), run.day, run.id];
    const timelines = numberTimelines(figures);
    await inTransaction(pool, async (client) => {
      await client.query(
        `insert into qos_figures as f (team_id, trial, day, run_id, node_id, label, value, coverage, timeline)
         select $1, $2, $3, $4, n.node_id, $5, n.value, n.coverage, t.bytes
         from unnest($6::int[], $7::float8[], $8::float4[], $9::int[]) n (node_id, value, coverage, timeline)
         left join unnest($10::bytea[]) with ordinality t (bytes, number) on t.number = n.timeline
         order by n.node_id -- one order for all, so that two runs never wait for each other
         on conflict (team_id, trial, day, node_id) do update
           set run_id = excluded.run_id, label = excluded.label, value = excluded.value, coverage = excluded.coverage, timeline = excluded.timeline
           where f.run_id <= excluded.run_id`,
        [
          ...key,
          label,
          figures.map(({ id }) => id),
          figures.map(({ value }) => value),
          figures.map(({ coverage }) => coverage),
          timelines.numbers,
          timelines.distinct,
        ],
      );
      if (checks.length > 0) await writeChecks(client, key, checks);
      await client.query('update qos_chunks set nodes = $4 where team_id = $1 and run_id = $2 and position = $3', [
        run.team_id,
        run.id,
        position,
        figures.length,
      ]);
    });
  }

  /** Figures of a run's day by node; those that are missing have none. */
  async function loadFigures(run: Run, nodeIds: Iterable<number>): Promise<FigureRow[]> {
    const { rows } = await pool.query<FigureRow>(
      `select node_id as id, value, coverage, timeline from qos_figures
       where team_id = $1 and trial = $2 and day = $3 and node_id = any ($4)`,
      [run.team_id, trialOf(run), run.day, [...nodeIds]],
    );
    return rows;
  }

  /** The nodes of a rule's chunk that were active at some second of the day. */
  async function listNodes(
    teamId: string,
    chunk: { label: string; from_node: number; to_node: number | null },
    [from, to]: [number, number],
  ): Promise<{ id: number; name: string }[]> {
    const { rows } = await pool.query<{ id: number; name: string }>(
      `select id, name from nodes
       where team_id = $1 and label = $2 and id >= $3 and ($4::int is null or id < $4)
         and (active_from is null or active_from <= $6) and (active_to is null or active_to >= $5)
       order by id`,
      [teamId, chunk.label, chunk.from_node, chunk.to_node, from, to],
    );
    return rows;
  }

  return { writeChunk, loadFigures, listNodes };
}

async function writeChecks(client: pg.ClientBase, key: unknown[], checks: CheckFigure[]): Promise<void> {
  await client.query(
    `insert into qos_check_figures as f (team_id, trial, day, run_id, node_id, check_id, check_name, value, coverage, timeline, points, failure)
     select $1, $2, $3, $4, n.*
     from unnest($5::int[], $6::uuid[], $7::text[], $8::float8[], $9::float4[], $10::bytea[], $11::int[], $12::text[])
       n (node_id, check_id, check_name, value, coverage, timeline, points, failure)
     order by n.node_id, n.check_id
     on conflict (team_id, trial, day, node_id, check_id) do update
       set run_id = excluded.run_id, check_name = excluded.check_name, value = excluded.value, coverage = excluded.coverage,
         timeline = excluded.timeline, points = excluded.points, failure = excluded.failure
       where f.run_id <= excluded.run_id`,
    [
      ...key,
      checks.map(({ id }) => id),
      checks.map(({ checkId }) => checkId),
      checks.map(({ checkName }) => checkName),
      checks.map(({ value }) => value),
      checks.map(({ coverage }) => coverage),
      checks.map(({ timeline }) => timeline),
      checks.map(({ points }) => points),
      checks.map(({ failure }) => failure),
    ],
  );
}

/** Many nodes had the same day: each timeline is sent once, and counted from 1 on. */
function numberTimelines(figures: FigureRow[]): { distinct: Uint8Array[]; numbers: (number | null)[] } {
  const known = new Map<string, number>();
  const distinct: Uint8Array[] = [];
  const numbers = figures.map(({ timeline }) => {
    if (timeline === null) return null;
    const key = Buffer.from(timeline.buffer, timeline.byteOffset, timeline.byteLength).toString('latin1');
    const number = known.get(key) ?? distinct.push(timeline);
    known.set(key, number);
    return number;
  });
  return { distinct, numbers };
}
