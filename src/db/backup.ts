/**
 * One backup format for both shapes of the database, and from one to the other.
 *
 * The file is gzip (whose checksum finds damage) around UTF-8 lines:
 *
 *   {"format":"faultline-backup","formatVersion":1,"migration":7}     the header: `migration` is the schema's version
 *   {"table":"users","columns":["id","name"]}                         a table, and then
 *   4f0c…\tadmin                                                      its rows in PostgreSQL's COPY text format, where
 *   \.                                                                a row is one line, and this line ends the table
 *   {"end":true,"rows":{"users":1},"sequences":{"audit_log_id_seq":["12",true]}}
 *
 * The last line proves that nothing is missing. `sequences` has each sequence's last value and whether it was given out.
 */
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { listSequences, listTables, quoteName, type Table } from './catalog.ts';
import type { Database } from './open.ts';
import { backupFormat, backupFormatVersion, restoreInto } from './restore.ts';

/** Pages a statement: the embedded database keeps a statement's whole answer in memory, so tables go in portions. */
const pagesPerCopy = 1_024;

/** On the embedded database everybody else waits until it is done: there is only one session, and the snapshot needs it. */
export async function writeBackup({ pool }: Pick<Database, 'pool'>, destination: Writable): Promise<void> {
  const client = await pool.connect();
  let isClean = false;
  try {
    await client.query('begin isolation level repeatable read, read only');
    await client.query(sessionSettings);
    await pipeline(Readable.from(backupParts(client)), createGzip(), destination);
    await client.query('commit');
    isClean = true;
  } finally {
    // A client that broke off in the middle of a COPY is of no more use.
    client.release(!isClean);
  }
}

/** Restores into a database without users. Either all of it is there afterwards, or nothing has changed. */
export async function readBackup({ pool }: Pick<Database, 'pool'>, source: Readable): Promise<{ rows: number }> {
  const client = await pool.connect();
  let isClean = false;
  try {
    await client.query('begin');
    await client.query(sessionSettings);
    const rows = await restoreInto(client, source);
    await client.query('commit');
    isClean = true;
    return { rows };
  } catch (error) {
    isClean = await client.query('rollback').then(
      () => true,
      () => false,
    );
    throw error;
  } finally {
    client.release(!isClean);
  }
}

/** Values look the same whatever a server's settings are, and a slow file at the other end may take its time. */
const sessionSettings = `set local datestyle = 'ISO, MDY'; set local intervalstyle = 'postgres'; set local timezone = 'UTC';
  set local bytea_output = 'hex'; set local extra_float_digits = 1;
  set local idle_in_transaction_session_timeout = 0`;

async function* backupParts(client: pg.ClientBase): AsyncGenerator<string | Buffer> {
  const tables = await listTables(client);
  // Nobody may rewrite or drop a table while its pages are being read.
  for (const { name } of tables) await client.query(`lock table ${quoteName(name)} in access share mode`);
  yield line({ format: backupFormat, formatVersion: backupFormatVersion, migration: await readVersion(client) });
  const rows: Record<string, number> = {};
  for (const table of tables) {
    yield line({ table: table.name, columns: table.columns });
    rows[table.name] = yield* tableRows(client, table);
    yield '\\.\n';
  }
  const sequences: Record<string, [string, boolean]> = {};
  for (const { name, lastValue, isCalled } of await listSequences(client)) sequences[name] = [lastValue, isCalled];
  yield line({ end: true, rows, sequences });
}

async function* tableRows(client: pg.ClientBase, { name, columns }: Table): AsyncGenerator<Buffer, number> {
  const table = quoteName(name);
  const pages = await countPages(client, name);
  let rows = 0;
  for (let page = 0; page < pages; page += pagesPerCopy) {
    const range = `ctid >= '(${page},0)' and ctid < '(${page + pagesPerCopy},0)'`;
    const copy = client.query(
      copyTo(`copy (select ${columns.map(quoteName).join(', ')} from ${table} where ${range}) to stdout`),
    );
    for await (const chunk of copy) yield chunk;
    rows += copy.rowCount;
  }
  return rows;
}

/** Pages that a later writer appends hold nothing that this snapshot sees. */
async function countPages(client: pg.ClientBase, name: string): Promise<number> {
  const { rows } = await client.query<{ pages: number }>(
    `select (pg_relation_size($1::regclass) / current_setting('block_size')::int)::int as pages`,
    [quoteName(name)],
  );
  return rows[0]?.pages ?? 0;
}

async function readVersion(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ version: number }>('select max(version) as version from migrations');
  return rows[0]?.version ?? 0;
}

const line = (value: unknown): string => `${JSON.stringify(value)}\n`;
