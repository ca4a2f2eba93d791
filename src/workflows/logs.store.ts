import type pg from 'pg';

export type LogLine = { id: string; attempt: number; at: Date; line: string };
export type LogsStore = ReturnType<typeof createLogsStore>;

/** Beyond this a task's log is cut, and its last line says so. */
const maxLinesPerTask = 10_000;
const maxLineLength = 10_000;

export function createLogsStore(pool: pg.Pool) {
  /** Lines of tasks that exist; the worker need not hold them any more, its last words count too. */
  async function add(logs: { id: string; attempt?: number | undefined; lines: string[] }[]): Promise<void> {
    const rows = logs.flatMap(({ id, attempt, lines }) => lines.map((line) => ({ id, attempt, line: clean(line) })));
    if (rows.length === 0) return;
    await pool.query(
      `with given as (
         select g.id, g.attempt, g.line, g.place, count(*) over (partition by g.id order by g.place) as nth
         from rows from (unnest($1::uuid[], $2::integer[], $3::text[])) with ordinality g (id, attempt, line, place)
       ), kept as (select t.id, t.instance_id, t.attempt,
           (select count(*) from (select from workflow_logs l where l.task_id = t.id limit ${maxLinesPerTask + 1}) l) as n
         from workflow_tasks t where t.id = any ($1::uuid[]))
       insert into workflow_logs (task_id, instance_id, attempt, at, line)
       select k.id, k.instance_id, coalesce(g.attempt, k.attempt), clock_timestamp(),
         case when k.n + g.nth > ${maxLinesPerTask} then 'The log ends here: a task may write ${maxLinesPerTask} lines.' else g.line end
       from given g join kept k on k.id = g.id where k.n + g.nth <= ${maxLinesPerTask + 1} order by g.place`,
      [rows.map(({ id }) => id), rows.map(({ attempt }) => attempt ?? null), rows.map(({ line }) => line)],
    );
  }

  async function list(taskId: string, after: string, limit: number): Promise<LogLine[]> {
    const { rows } = await pool.query<LogLine>(
      // With the table's name: the bare one would mean the text, and sort 10 before 9.
      'select l.id::text as id, l.attempt, l.at, l.line from workflow_logs l where l.task_id = $1 and l.id > $2::bigint order by l.id limit $3',
      [taskId, after, limit],
    );
    return rows;
  }

  return { add, list };
}

/** What the database can keep, and no more than a line's worth. */
function clean(line: string): string {
  const text = line.toWellFormed().replaceAll('\u0000', '\ufffd');
  return text.length > maxLineLength
    ? `${text.slice(0, maxLineLength)}… (${text.length - maxLineLength} characters more)`
    : text;
}
