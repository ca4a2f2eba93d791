import { expect, test } from 'vitest';
import { newTestDatabase, silentLog } from '../../test/harness/database.ts';
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
