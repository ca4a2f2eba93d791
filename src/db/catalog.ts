import type pg from 'pg';

export type Table = { name: string; columns: string[] };

/** All tables with data of their own, and of each the columns that can be written (generated ones follow by themselves). */
export async function listTables(client: pg.ClientBase): Promise<Table[]> {
  const { rows } = await client.query<Table>(`
    select c.relname as name,
           array(select a.attname::text from pg_attribute a
                  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
                  order by a.attnum) as columns
      from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> 'migrations'
     order by c.relname`);
  return rows;
}

export async function listSequences(
  client: pg.ClientBase,
): Promise<Array<{ name: string; lastValue: string; isCalled: boolean }>> {
  const { rows } = await client.query<{ name: string }>(`
    select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'S' order by relname`);
  const sequences = [];
  for (const { name } of rows) {
    const { rows: values } = await client.query<{ last_value: string; is_called: boolean }>(
      `select last_value, is_called from ${quoteName(name)}`,
    );
    const [value] = values;
    if (value) sequences.push({ name, lastValue: value.last_value, isCalled: value.is_called });
  }
  return sequences;
}

/** Names come from the catalog or from a backup, so they are quoted like any foreign text. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;
