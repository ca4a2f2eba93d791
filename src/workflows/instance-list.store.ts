import type pg from 'pg';
import { type InstanceRow, instanceColumns } from './instances.store.ts';

export type InstanceFilter = {
  project?: string | undefined;
  name?: string | undefined;
  status?: string | undefined;
  periodic?: boolean | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
};

export type InstanceList = ReturnType<typeof createInstanceList>;

/** Instances as people look through them: a page, and how many there are. */
export function createInstanceList(pool: pg.Pool) {
  /** Newest first, one stable order. */
  async function page(
    filter: InstanceFilter,
    range: { limit: number; offset: number; withPayload: boolean },
  ): Promise<InstanceRow[]> {
    const { where, values } = whereOf(filter);
    const { rows } = await pool.query<InstanceRow>(
      `select ${instanceColumns(range.withPayload)} from workflow_instances i ${where}
       order by i.created_at desc, i.id desc limit $${values.length + 1} offset $${values.length + 2}`,
      [...values, range.limit, range.offset],
    );
    return rows;
  }

  /**
   * Exact, and without counting rows: whole hours come from the counts, the pieces at both ends from the index.
   *
   *   since            until
   *     ▼                ▼
   *   ──┤▒▒│█████│█████│▒├──     █ counts by hour    ▒ counted
   */
  async function count(filter: InstanceFilter): Promise<number> {
    const { since, until, ...rest } = filter;
    if (!since && !until) return countWhole(rest, undefined);
    const from = since ? Math.ceil(since.getTime() / hourMs) * hourMs : undefined;
    const to = until ? Math.floor(until.getTime() / hourMs) * hourMs : undefined;
    if (from !== undefined && to !== undefined && from >= to) return countRows(filter);
    const parts = [countWhole(rest, { from, to })];
    if (since && from !== undefined && since.getTime() < from)
      parts.push(countRows({ ...rest, since, until: new Date(from - 1) }, new Date(from)));
    if (until && to !== undefined) parts.push(countRows({ ...rest, since: new Date(to), until }));
    return (await Promise.all(parts)).reduce((sum, part) => sum + part, 0);
  }

  async function countWhole(
    filter: InstanceFilter,
    hours: { from: number | undefined; to: number | undefined } | undefined,
  ): Promise<number> {
    const values: unknown[] = [];
    const add = (condition: string, value: unknown): string => {
      values.push(value);
      return condition.replace('?', `$${values.length}`);
    };
    const conditions: string[] = [];
    if (hours === undefined) conditions.push(`hour = '-infinity'`);
    else {
      conditions.push(`hour > '-infinity'`);
      if (hours.from !== undefined) conditions.push(add('hour >= ?', new Date(hours.from)));
      if (hours.to !== undefined) conditions.push(add('hour < ?', new Date(hours.to)));
    }
    if (filter.project !== undefined) conditions.push(add('project = ?', filter.project));
    if (filter.name !== undefined) conditions.push(add('name = ?', filter.name));
    if (filter.status !== undefined) conditions.push(add('status = ?', filter.status));
    if (filter.periodic !== undefined) conditions.push(add('is_periodic = ?', filter.periodic));
    const where = conditions.join(' and ');
    // One statement: a fold between two would count something twice.
    const { rows } = await pool.query<{ n: string }>(
      `select coalesce(sum(count), 0) as n from (
         select count from workflow_counts where ${where} union all select count from workflow_count_deltas where ${where}) c`,
      values,
    );
    return Number(rows[0].n);
  }

  async function countRows(filter: InstanceFilter, before?: Date): Promise<number> {
    const { where, values } = whereOf(before ? { ...filter, until: undefined } : filter);
    const limit = before ? ` and i.created_at < $${values.length + 1}` : '';
    const { rows } = await pool.query<{ n: string }>(
      `select count(*) as n from workflow_instances i ${where}${limit}`,
      before ? [...values, before] : values,
    );
    return Number(rows[0].n);
  }

  return { page, count };
}

const hourMs = 3_600_000;

function whereOf(filter: InstanceFilter): { where: string; values: unknown[] } {
  const parts: [string, unknown][] = [
    ['i.project =', filter.project],
    ['i.name =', filter.name],
    ['i.status =', filter.status],
    ['i.is_periodic =', filter.periodic],
    ['i.created_at >=', filter.since],
    ['i.created_at <=', filter.until],
  ];
  const given = parts.filter(([, value]) => value !== undefined);
  const conditions = given.map(([condition], index) => `${condition} $${index + 1}`);
  return {
    where: conditions.length > 0 ? `where ${conditions.join(' and ')}` : 'where true',
    values: given.map(([, value]) => value),
  };
}
