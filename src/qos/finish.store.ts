import type pg from 'pg';
import { inTransaction } from '../db/transaction.ts';
import { type Run, trialOf } from './runs.store.ts';

/** The transaction that ends a run. */
export type FinishClient = pg.ClientBase;

export type FinishStore = ReturnType<typeof createFinishStore>;

export const createFinishStore = (pool: pg.Pool) => ({
  transaction: <T>(work: (client: FinishClient) => Promise<T>): Promise<T> => inTransaction(pool, work),
});

export type LabelFigure = {
  label: string;
  value: number | null;
  coverage: number;
  nodes: number;
  unknown_nodes: number;
};

/** The mean with three decimals, in whole thousandths, so that a half is a half. */
export const meanOf = (value: string): string => `(round(avg((${value} * 1000)::bigint)) / 1000)::float8`;

/** The figures of the labels of a run, and what is left of former ones goes. In the transaction that ends the run. */
export async function sumUp(client: FinishClient, run: Run, labels: string[], now: Date): Promise<LabelFigure[]> {
  const key = [run.team_id, trialOf(run), run.day, run.id];
  // Nodes that have gone, or that no longer have a query: no later run wrote them, and neither did this one.
  await client.query(
    `delete from qos_figures where team_id = $1 and trial = $2 and day = $3 and run_id < $4 and label = any ($5)`,
    [...key, labels],
  );
  await client.query(
    `delete from qos_check_figures c where team_id = $1 and trial = $2 and day = $3 and run_id < $4
       and not exists (select from qos_figures f where f.team_id = c.team_id and f.trial = c.trial and f.day = c.day
         and f.node_id = c.node_id and f.run_id = c.run_id)`,
    key,
  );
  const { rows } = await client.query<LabelFigure>(
    `insert into qos_label_figures as f (team_id, trial, day, run_id, label, query, value, coverage, nodes, unknown_nodes, computed_at)
     select $1, $2, $3, $4, l.label, l.query,
       ${meanOf('n.value')}, coalesce(avg(n.coverage), 0), count(n.node_id), count(n.node_id) - count(n.value), $7
     from unnest($5::text[], $6::text[]) l (label, query)
     left join qos_figures n on n.team_id = $1 and n.trial = $2 and n.day = $3 and n.label = l.label
     group by l.label, l.query order by l.label
     on conflict (team_id, trial, label, day) do update
       set run_id = excluded.run_id, query = excluded.query, value = excluded.value, coverage = excluded.coverage, nodes = excluded.nodes,
         unknown_nodes = excluded.unknown_nodes, computed_at = excluded.computed_at
       where f.run_id <= excluded.run_id
     returning label, value, coverage, nodes, unknown_nodes`,
    [...key, labels, labels.map((label) => run.config[label].qos), now],
  );
  return rows;
}

export async function noteFinished(client: FinishClient, run: Run, now: Date): Promise<void> {
  await client.query('update qos_runs set finished_at = $3 where team_id = $1 and id = $2', [run.team_id, run.id, now]);
}

export async function lockRun(client: FinishClient, run: Run): Promise<{ open: number }> {
  await client.query('select from qos_runs where team_id = $1 and id = $2 for update', [run.team_id, run.id]);
  const { rows } = await client.query<{ open: number }>(
    'select count(*)::int as open from qos_chunks where team_id = $1 and run_id = $2 and nodes is null',
    [run.team_id, run.id],
  );
  return rows[0];
}

export type Objective = { label: string; target: number };
export type Crossing = { label: string; node: string | null; value: number; former: number | null };

/** The value of a label on the newest day before. */
export async function findFormerValue(
  client: FinishClient,
  run: Run,
  label: string,
): Promise<{ value: number | null } | undefined> {
  const { rows } = await client.query<{ value: number | null }>(
    `select value from qos_label_figures where team_id = $1 and trial = $2 and label = $3 and day < $4 and value is not null
     order by day desc limit 1`,
    [run.team_id, trialOf(run), label, run.day],
  );
  return rows[0];
}

/** Nodes that are on the other side of the target than the day before; worst first. Without a former figure, only those below it. */
export async function listCrossedNodes(
  client: FinishClient,
  run: Run,
  { label, target }: Objective,
  limit: number,
): Promise<{ total: number; nodes: Crossing[] }> {
  const { rows } = await client.query<{ name: string; value: number; former: number | null; total: number }>(
    `select n.name, f.value, p.value as former, count(*) over ()::int as total
     from qos_figures f
     left join qos_figures p on p.team_id = f.team_id and p.trial = f.trial and p.day = $3::date - 1 and p.node_id = f.node_id
     join nodes n on n.team_id = f.team_id and n.id = f.node_id
     where f.team_id = $1 and f.trial = $2 and f.day = $3 and f.label = $4 and f.value is not null
       and (f.value < $5) <> coalesce(p.value < $5, false)
     order by f.value, n.name limit $6`,
    [run.team_id, trialOf(run), run.day, label, target, limit],
  );
  const nodes = rows.map(({ name, value, former }) => ({ label, node: name, value, former }));
  return { total: rows[0]?.total ?? 0, nodes };
}
