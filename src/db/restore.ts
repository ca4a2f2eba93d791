import type { Readable } from 'node:stream';
import type pg from 'pg';
import { z } from 'zod';
import { StartupError } from '../errors.ts';
import { listTables, quoteName, type Table } from './catalog.ts';
import { copyIn } from './copy-in.ts';
import { createLineReader, type LineReader } from './line-reader.ts';
import { applyNext, lockMigrations, type Migration, newestOf, readMigrations } from './migrate.ts';

export const backupFormat = 'faultline-backup';
export const backupFormatVersion = 1;

/** The embedded database keeps a COPY's whole input in memory, so tables come in portions. */
const maxRowsPerCopy = 50_000;
const maxBytesPerCopy = 4 * 1024 * 1024;

/** Loads a backup inside the caller's transaction; how the file looks is described in `backup.ts`. Returns the number of rows. */
export async function restoreInto(client: pg.ClientBase, source: Readable): Promise<number> {
  const lines = createLineReader(source, (error) => damaged('it cannot be unpacked', error));
  const migration = parseHeader(await lines.next());
  const migrations = await readMigrations();
  await lockMigrations(client);
  await refuseIfUsed(client);
  await bringToVersion(client, migrations, migration);

  const tables = new Map((await listTables(client)).map((table) => [table.name, table]));
  const restoreConstraints = await setConstraintsAside(client, [...tables.keys()]);
  const rows: Record<string, number> = {};
  for (;;) {
    const section = parseLine(await lines.next(), z.union([tableSection, endSection]));
    if ('end' in section) {
      refuseIfIncomplete(section, rows, tables);
      await setSequences(client, section.sequences);
      break;
    }
    rows[section.table] = await loadTable(client, section, tables.get(section.table), lines);
  }
  // Reading to the end lets gzip compare its checksum.
  if ((await lines.next()) !== undefined) throw damaged('something follows its end');
  await restoreConstraints();
  while (await applyNext(client, migrations));
  // From here on history goes another way than where the backup was taken: no snapshot of a graph from there may be believed.
  await client.query('update graphs set epoch = gen_random_uuid()');
  // Events are read in the order of transactions, whose numbers mean nothing in another database.
  await client.query('delete from workflow_events');
  await client.query(`update notification_cursors set xid = '0', id = 0`);
  return Object.values(rows).reduce((sum, count) => sum + count, 0);
}

const damaged = (what: string, cause?: unknown) =>
  new StartupError(`The backup is damaged or incomplete (${what}). The database was left unchanged.`, { cause });

const tableSection = z.object({ table: z.string(), columns: z.array(z.string()) });
const endSection = z.object({
  end: z.literal(true),
  rows: z.record(z.string(), z.number()),
  sequences: z.record(z.string(), z.tuple([z.string(), z.boolean()])),
});
type TableSection = z.infer<typeof tableSection>;
type EndSection = z.infer<typeof endSection>;

function parseHeader(line: Buffer | undefined): number {
  const header = parseLine(
    line,
    z.object({ format: z.literal(backupFormat), formatVersion: z.number(), migration: z.number() }),
  );
  if (header.formatVersion !== backupFormatVersion) {
    throw new StartupError('The backup has a format that this Faultline does not know. Use a newer Faultline.');
  }
  return header.migration;
}

function parseLine<Shape extends z.ZodType>(line: Buffer | undefined, shape: Shape): z.infer<Shape> {
  if (!line) throw damaged('it ends too early');
  try {
    return shape.parse(JSON.parse(line.toString()));
  } catch (error) {
    throw damaged('a line is not what a Faultline backup has there', error);
  }
}

async function refuseIfUsed(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ has_tables: boolean; is_ours: boolean }>(`
    select exists (select from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')) as has_tables,
           to_regclass('users') is not null and to_regclass('migrations') is not null as is_ours`);
  const [found] = rows;
  if (!found?.has_tables) return;
  if (!found.is_ours) throw new StartupError('The database is not empty: it has tables that are not of Faultline.');
  await client.query('lock table users in access exclusive mode');
  const { rowCount } = await client.query('select 1 from users limit 1');
  if (rowCount) {
    throw new StartupError(
      'The database is not empty: it has users. Restore into a new database or a new data directory.',
    );
  }
}

/** Data fits only the schema that it came from. A newer schema without users holds nothing, so it is made anew. */
async function bringToVersion(client: pg.ClientBase, migrations: Migration[], version: number): Promise<void> {
  if (version > newestOf(migrations)) {
    throw new StartupError(
      `The backup is of version ${version}, and this Faultline knows only up to ${newestOf(migrations)}. Use a newer Faultline.`,
    );
  }
  await client.query(dropEverything);
  while (await applyNext(client, migrations, version));
  const names = (await listTables(client)).map(({ name }) => quoteName(name));
  // Rows that migrations insert are in the backup too.
  if (names.length > 0) await client.query(`truncate ${names.join(', ')}`);
}

/** Not the schema itself, and not what an extension brought: those may belong to somebody else. */
const dropEverything = `
do $$
declare statement text;
begin
  for statement in
    select format('drop %s if exists %I cascade', kind, relname)
      from pg_class c
      join (values ('v', 'view'), ('m', 'materialized view'), ('r', 'table'), ('p', 'table'), ('S', 'sequence'))
           kinds (relkind, kind) on kinds.relkind = c.relkind::text
     where relnamespace = 'public'::regnamespace
       and not exists (select from pg_depend where objid = c.oid and deptype in ('e', 'i'))
    union all
    select format('drop routine if exists %s cascade', oid::regprocedure) from pg_proc p
     where pronamespace = 'public'::regnamespace
       and not exists (select from pg_depend where objid = p.oid and deptype = 'e')
    union all
    select format('drop type if exists %I cascade', typname) from pg_type t
     where typnamespace = 'public'::regnamespace and typtype in ('e', 'd')
       and not exists (select from pg_depend where objid = t.oid and deptype = 'e')
  loop
    execute statement;
  end loop;
end $$`;

/**
 * Tables may refer to each other in circles, and to themselves: so foreign keys are taken off and put back afterwards, which
 * checks them all. Triggers of our own do not fire: what they would do is already in the data.
 */
async function setConstraintsAside(client: pg.ClientBase, tables: string[]): Promise<() => Promise<void>> {
  const { rows } = await client.query<{ table: string; name: string; definition: string }>(`
    select conrelid::regclass::text as table, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
      from pg_constraint
     where contype = 'f' and connamespace = 'public'::regnamespace and conparentid = 0`);
  for (const { table, name } of rows) await client.query(`alter table ${table} drop constraint ${name}`);
  for (const table of tables) await client.query(`alter table ${quoteName(table)} disable trigger user`);
  return async () => {
    for (const { table, name, definition } of rows) {
      await client.query(`alter table ${table} add constraint ${name} ${definition}`);
    }
    for (const table of tables) await client.query(`alter table ${quoteName(table)} enable trigger user`);
  };
}

async function loadTable(
  client: pg.ClientBase,
  section: TableSection,
  table: Table | undefined,
  lines: LineReader,
): Promise<number> {
  if (!table || section.columns.some((column) => !table.columns.includes(column))) {
    throw damaged('a table does not fit its version');
  }
  const statement = `copy ${quoteName(table.name)} (${section.columns.map(quoteName).join(', ')}) from stdin`;
  for (let rows = 0; ; ) {
    const portion = await lines.takeRows(maxRowsPerCopy, maxBytesPerCopy);
    if (portion.count > 0) await copyPortion(client, statement, portion.parts);
    rows += portion.count;
    if (portion.isLast) return rows;
  }
}

async function copyPortion(client: pg.ClientBase, statement: string, parts: Buffer[]): Promise<void> {
  try {
    await copyIn(client, statement, Buffer.concat(parts));
  } catch (error) {
    // Class 22: a value cannot be read. Class 23: a row breaks a rule of its table.
    const isAboutData = error instanceof Error && 'code' in error && /^2[23]/.test(String(error.code));
    throw isAboutData ? damaged('a row cannot be loaded', error) : error;
  }
}

function refuseIfIncomplete(end: EndSection, loaded: Record<string, number>, tables: Map<string, Table>): void {
  const expected = Object.entries(end.rows);
  const isComplete = expected.length === tables.size && expected.every(([table, count]) => loaded[table] === count);
  if (!isComplete) throw damaged('rows are missing');
}

async function setSequences(client: pg.ClientBase, sequences: EndSection['sequences']): Promise<void> {
  for (const [name, [lastValue, isCalled]] of Object.entries(sequences)) {
    await client.query('select setval($1::regclass, $2::bigint, $3::boolean)', [quoteName(name), lastValue, isCalled]);
  }
}
