import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newTestDirectory, silentLog } from '../../test/harness/database.ts';
import { StartupError } from '../errors.ts';
import { openDatabase } from './open.ts';

test('a first start that was cut off half-way is begun again', async () => {
  const dataDir = await newTestDirectory();
  await mkdir(join(dataDir, 'database'));
  await writeFile(join(dataDir, 'database', 'PG_VERSION'), '17');
  await writeFile(join(dataDir, 'database-unfinished'), '');
  const database = await openDatabase({ dataDir, log: silentLog });
  expect(await database.isReady()).toBe(true);
  expect(existsSync(join(dataDir, 'database-unfinished'))).toBe(false);
  await database.close();
});

test('a damaged directory is one sentence, and the lock is given back', async () => {
  const dataDir = await newTestDirectory();
  await mkdir(join(dataDir, 'database'));
  await writeFile(join(dataDir, 'database', 'PG_VERSION'), 'nonsense');
  await expect(openDatabase({ dataDir, log: silentLog })).rejects.toBeInstanceOf(StartupError);
  await rm(join(dataDir, 'database'), { recursive: true });
  await (await openDatabase({ dataDir, log: silentLog })).close();
});
