import { once } from 'node:events';
import { readdir, readlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/harness/database.ts';
import type { Database } from '../db/open.ts';
import { FaultlineError } from '../errors.ts';
import { systemActor } from '../identity/access.ts';
import { createBackupService } from './backup.service.ts';

const never = new AbortController().signal;
let database: Database;

beforeAll(async () => {
  database = await openTestDatabase();
  await database.pool.query(
    `insert into news (title, message) select 'item ' || n, md5(n::text) from generate_series(1, 20000) n`,
  );
});

test('the answer is as long as it says, holds the rows, and is in the audit log before it is read', async () => {
  const backups = createBackupService({ database });
  const { stream, bytes } = await backups.create(systemActor, never);
  const audit = await database.db.selectFrom('audit_log').selectAll().where('action', '=', 'backup.create').execute();
  expect(audit).toMatchObject([{ actor_name: 'system', target: 'database', details: { bytes } }]);
  const content = await buffer(stream);
  expect(content.length).toBe(bytes);
  expect(gunzipSync(content).toString()).toContain('item 20000');
});

test('while one is being made or read, another is refused; afterwards it is not', async () => {
  const backups = createBackupService({ database });
  const making = backups.create(systemActor, never);
  await expect(backups.create(systemActor, never)).rejects.toMatchObject({ code: 'conflict' });
  const { stream } = await making;
  await expect(backups.create(systemActor, never)).rejects.toMatchObject({ code: 'conflict' });
  await buffer(stream);
  const next = await backups.create(systemActor, never);
  await buffer(next.stream);
});

test('a client that goes in the middle frees the place, the database and the disk', async () => {
  const backups = createBackupService({ database });
  for (const afterMs of [0, 5, 20, 60]) {
    const gone = new AbortController();
    setTimeout(() => gone.abort(), afterMs);
    // A late abort finds the backup complete, and cuts off its stream.
    const outcome = await backups.create(systemActor, gone.signal).then(
      ({ stream }) => once(stream, 'close').then(() => 'unavailable'),
      (error: unknown) => (error instanceof FaultlineError ? error.code : error),
    );
    expect(outcome).toBe('unavailable');
  }
  expect(await database.isReady()).toBe(true);
  const { stream } = await backups.create(systemActor, never);
  await buffer(stream);
  expect(await spoolFiles()).toEqual([]);
});

/** Files of ours in the temporary directory, and those that are open without a name. */
async function spoolFiles(): Promise<string[]> {
  const descriptors = await readdir('/proc/self/fd').catch(() => []);
  const open = await Promise.all(descriptors.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  return [...open, ...(await readdir(tmpdir()))].filter((name) => name.includes('faultline-backup-'));
}
