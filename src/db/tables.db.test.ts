import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openTestDatabase } from '../../test/harness/database.ts';

type Columns = Record<string, Record<string, 'null' | 'not null'>>;

/** Types are gone at run time, so the file is read as text: each table a type of `column: type;` entries. */
function tablesInCode(): Columns {
  const source = readFileSync(new URL('./tables.ts', import.meta.url), 'utf8').replaceAll(
    /\/\*[\s\S]*?\*\/|\/\/.*$/gm,
    '',
  );
  const body = source.slice(source.indexOf('export type Tables = {') + 'export type Tables = {'.length);
  return Object.fromEntries(
    topLevelEntries(body).map(([table, columns]) => [
      table,
      Object.fromEntries(
        topLevelEntries(columns.replace(/^\{/, '')).map(([column, type]) => [
          column,
          /\|\s*null\b/.test(type) ? 'null' : 'not null',
        ]),
      ),
    ]),
  );
}

/** `name: anything;` pairs up to the brace that closes the enclosing type, brackets of all kinds respected. */
function topLevelEntries(text: string): Array<[string, string]> {
  const entries: Array<[string, string]> = [];
  let depth = 0;
  let entry = '';
  for (const character of text) {
    if ('{<(['.includes(character)) depth++;
    if ('}>)]'.includes(character) && --depth < 0) break;
    if (character === ';' && depth === 0) {
      const colon = entry.indexOf(':');
      entries.push([entry.slice(0, colon).trim(), entry.slice(colon + 1).trim()]);
      entry = '';
    } else entry += character;
  }
  const rest = entry.trim();
  if (rest) entries.push([rest.slice(0, rest.indexOf(':')).trim(), rest.slice(rest.indexOf(':') + 1).trim()]);
  return entries;
}

test('the tables in the code are the tables in the database', async () => {
  const { pool } = await openTestDatabase();
  const { rows } = await pool.query<{ table_name: string; column_name: string; is_nullable: string }>(
    `select table_name, column_name, is_nullable
       from information_schema.columns
       join information_schema.tables using (table_schema, table_name)
      where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> 'migrations'
        -- These are spoken to in plain SQL only.
        and table_name not like 'workflow\\_%'
        and table_name not like 'notification\\_%'
        and table_name not like 'qos\\_%'`,
  );
  const inDatabase: Columns = {};
  for (const { table_name, column_name, is_nullable } of rows) {
    inDatabase[table_name] ??= {};
    inDatabase[table_name][column_name] = is_nullable === 'YES' ? 'null' : 'not null';
  }
  expect(tablesInCode()).toEqual(inDatabase);
});
