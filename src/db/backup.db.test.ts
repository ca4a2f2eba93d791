import { randomBytes } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { newTestDirectory, openTestDatabase, silentLog } from '../../test/harness/database.ts';
import { StartupError } from '../errors.ts';
import { readBackup, writeBackup } from './backup.ts';
import { quoteName } from './catalog.ts';
import { migrate } from './migrate.ts';
import { type Database, openDatabase } from './open.ts';

async function backupOf(database: Database): Promise<Buffer> {
  const destination = new PassThrough();
  const [bytes] = await Promise.all([buffer(destination), writeBackup(database, destination)]);
  return bytes;
}

/** In pieces of odd sizes, as a file or a network would give it. */
function* inPieces(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 1_021) yield bytes.subarray(at, at + 1_021);
}
const restore = (database: Database, bytes: Buffer) => readBackup(database, Readable.from(inPieces(bytes)));

/** Of each table how many rows it has and a digest of them all. */
async function contentOf({ pool }: Database): Promise<Record<string, unknown>> {
  const { rows } = await pool.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'migrations'`,
  );
  const content: Record<string, unknown> = {};
  for (const { name } of rows) {
    const digest = `select count(*), md5(string_agg(t::text, E'\\n' order by t::text collate "C")) as digest from ${quoteName(name)} t`;
    content[name] = (await pool.query(digest)).rows;
  }
  return content;
}

let source: Database;
let backup: Buffer;
beforeAll(async () => {
  source = await openTestDatabase();
  await source.pool.query(`
    insert into users (name, is_admin) values ('admin', true), (E'tab\\tline\\nslash\\\\ \\\\. \u{1f600}', false);
    insert into users (name, oidc_subject) values ('\\.', ''), ('\\N', '\\N');
    insert into tokens (user_id, name, prefix, hash, scopes, expires_at)
      select id, 'token', left(id::text, 8), sha256('x'), '{Read,"a b",NULL}', '2030-01-01T00:00:00.123456Z' from users;
    insert into teams (name) values ('one');
    insert into grants select t.id, u.id, 'member' from teams t, users u;
    insert into audit_log (actor_name, action, target, details)
      select 'a', 'b', repeat(md5(i::text), 4), json_build_object('i', i, 'f', 1.1 * i) from generate_series(1, 20000) i;
    delete from audit_log where id > 19990;
    update revisions set revision = 7 where topic = 'news'`);
  backup = await backupOf(source);
});

test('a restored database has every row, and the sequences go on', async () => {
  const target = await openTestDatabase();
  await restore(target, backup);
  expect(await contentOf(target)).toEqual(await contentOf(source));
  const { rows } = await target.pool.query<{ id: string }>(
    `insert into audit_log (actor_name, action, target) values ('a', 'b', 'c') returning id`,
  );
  expect(rows).toEqual([{ id: '20001' }]);
  await expect(target.pool.query(`insert into grants select id, id, 'member' from users`)).rejects.toThrow(
    'foreign key',
  );
});

test('an empty directory or database is brought to the right version by itself', async () => {
  const target = await openDatabase({ dataDir: `${await newTestDirectory()}/data`, log: silentLog });
  try {
    await restore(target, backup);
    expect(await contentOf(target)).toEqual(await contentOf(source));
    expect((await migrate(target)).applied).toEqual([]);
  } finally {
    await target.close();
  }
});

test('a backup of a database that was itself restored, in the embedded shape, is as good', async () => {
  const embedded = await openDatabase({ dataDir: `${await newTestDirectory()}/data`, log: silentLog });
  try {
    await restore(embedded, backup);
    const target = await openTestDatabase();
    await restore(target, await backupOf(embedded));
    expect(await contentOf(target)).toEqual(await contentOf(source));
  } finally {
    await embedded.close();
  }
});

test('a database with users is refused', async () => {
  const before = await contentOf(source);
  const attempt = restore(source, backup);
  await expect(attempt).rejects.toBeInstanceOf(StartupError);
  await expect(attempt).rejects.toThrow('The database is not empty');
  expect(await contentOf(source)).toEqual(before);
});

const withByteChanged = (bytes: Buffer, at: number): Buffer => {
  const changed = Buffer.from(bytes);
  changed.writeUInt8(changed.readUInt8(at) ^ 0x10, at);
  return changed;
};
const rewritten = (change: (plain: Buffer) => Buffer) => gzipSync(change(gunzipSync(backup)));
const badFiles: Record<string, () => Buffer> = {
  empty: () => Buffer.alloc(0),
  noise: () => randomBytes(5_000),
  foreign: () => gzipSync('hello\nworld\n'),
  'cut in half': () => backup.subarray(0, backup.length / 2),
  'short of its last byte': () => backup.subarray(0, -1),
  'changed in one bit': () => withByteChanged(backup, Math.floor(backup.length / 2)),
  'changed in its checksum': () => withByteChanged(backup, backup.length - 8),
  'short of its last line': () => rewritten((plain) => plain.subarray(0, plain.lastIndexOf('\n', -2) + 1)),
  'short of its last newline': () => rewritten((plain) => plain.subarray(0, -1)),
  'short of a row': () =>
    rewritten((plain) =>
      Buffer.concat([plain.subarray(0, plain.indexOf('\n60\t')), plain.subarray(plain.indexOf('\n61\t'))]),
    ),
  'longer than its end': () => rewritten((plain) => Buffer.concat([plain, Buffer.from('more\n')])),
  'newer than the code': () =>
    rewritten((plain) =>
      Buffer.from(plain.toString('latin1').replace(/"migration":\d+/, '"migration":9999'), 'latin1'),
    ),
};

describe('a file is refused in one sentence and changes nothing when it is', () => {
  let target: Database;
  beforeAll(async () => {
    target = await openTestDatabase();
    await target.pool.query(`insert into teams (name) values ('was here before')`);
  });

  test.each(Object.keys(badFiles))('%s', async (name) => {
    const before = await contentOf(target);
    await expect(restore(target, badFiles[name]?.() ?? backup)).rejects.toBeInstanceOf(StartupError);
    expect(await contentOf(target)).toEqual(before);
  });
});

test('a table that grows in portions of many pages is saved whole', async () => {
  const database = await openTestDatabase();
  await database.pool.query(`
    insert into audit_log (actor_name, action, target) select 'a', 'b', repeat('x', 900) from generate_series(1, 30000)`);
  const { rows } = await database.pool.query<{ pages: number }>(
    `select (pg_relation_size('audit_log') / 8192)::int as pages`,
  );
  expect(rows[0]?.pages).toBeGreaterThan(2 * 1_024);
  const lines = gunzipSync(await backupOf(database))
    .toString()
    .split('\n');
  expect(lines.filter((line) => line.includes('xxxx'))).toHaveLength(30_000);
});

test('generated columns are not saved, rows that refer to their own table are', async () => {
  // A table that no migration knows can be saved but not restored.
  const database = await openTestDatabase();
  await database.pool.query(`
    create table tree (id int primary key, parent int references tree, twice int generated always as (id * 2) stored);
    insert into tree values (1, null), (2, 1)`);
  const lines = gunzipSync(await backupOf(database))
    .toString()
    .split('\n');
  const at = lines.indexOf('{"table":"tree","columns":["id","parent"]}');
  expect(lines.slice(at + 1, at + 4)).toEqual(['1\t\\N', '2\t1', '\\.']);
});
