import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isPostgresProject, newTestDatabase, newTestDirectory, silentLog } from '../../test/harness/database.ts';
import { StartupError } from '../errors.ts';
import { migrate } from './migrate.ts';
import { openDatabase } from './open.ts';

test('what was written is there after closing and opening again', async () => {
  const settings = await newTestDatabase();
  const first = await openDatabase({ ...settings, log: silentLog });
  await migrate(first);
  await first.db.insertInto('teams').values({ name: 'one' }).execute();
  await first.close();
  await first.close();
  expect(await first.isReady()).toBe(false);
  const second = await openDatabase({ ...settings, log: silentLog });
  expect(await second.db.selectFrom('teams').select('name').execute()).toEqual([{ name: 'one' }]);
  await second.close();
});

test.runIf(isPostgresProject())('a server that cannot be reached is one sentence without the password', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await new Promise((resolve) => silent.once('listening', resolve));
  const address = silent.address();
  const silentPort = address && typeof address === 'object' ? address.port : 0;
  const { databaseUrl = '' } = await newTestDatabase();
  const attempts = {
    'connection refused': 'postgres://someone:s3cret@127.0.0.1:1/nowhere',
    'never answers': `postgres://someone:s3cret@127.0.0.1:${silentPort}/nowhere`,
    'unknown database': databaseUrl.replace(/\/[^/]*$/, '/no_such_database'),
    'no address at all': 's3cret',
  };
  await Promise.all(
    Object.entries(attempts).map(async ([name, url]) => {
      const error: unknown = await openDatabase({ databaseUrl: url, dataDir: '', log: silentLog }).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(error, name).toBeInstanceOf(StartupError);
      expect(String(error), name).not.toContain('s3cret');
      expect(String(error).split('\n'), name).toHaveLength(1);
    }),
  );
  silent.close();
});

test.runIf(!isPostgresProject())('a first start that was cut off half-way is begun again', async () => {
  const dataDir = await newTestDirectory();
  await mkdir(join(dataDir, 'database'));
  await writeFile(join(dataDir, 'database', 'PG_VERSION'), '17');
  await writeFile(join(dataDir, 'database-unfinished'), '');
  const database = await openDatabase({ dataDir, log: silentLog });
  expect(await database.isReady()).toBe(true);
  expect(existsSync(join(dataDir, 'database-unfinished'))).toBe(false);
  await database.close();
});

test.runIf(!isPostgresProject())('a damaged directory is one sentence, and the lock is given back', async () => {
  const dataDir = await newTestDirectory();
  await mkdir(join(dataDir, 'database'));
  await writeFile(join(dataDir, 'database', 'PG_VERSION'), 'nonsense');
  await expect(openDatabase({ dataDir, log: silentLog })).rejects.toBeInstanceOf(StartupError);
  await rm(join(dataDir, 'database'), { recursive: true });
  await (await openDatabase({ dataDir, log: silentLog })).close();
});
