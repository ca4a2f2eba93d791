import type { Kysely, LogEvent } from 'kysely';
import { Kysely as KyselyClass, PostgresDialect } from 'kysely';
import type pg from 'pg';
import { beforeAll, expect, test, vi } from 'vitest';
import { openTestDatabase } from '../../test/harness/database.ts';
import { bumpRevision, createRevisionWatch } from './revisions.ts';
import type { Tables } from './tables.ts';

let db: Kysely<Tables>;
let pool: pg.Pool;
let queries = 0;
const log = (event: LogEvent) => {
  if (event.query.sql.startsWith('select')) queries++;
};
beforeAll(async () => {
  ({ pool } = await openTestDatabase());
  db = new KyselyClass<Tables>({ dialect: new PostgresDialect({ pool }), log });
});

function watchWithClock() {
  const time = { now: 1_000 };
  queries = 0;
  return { time, watch: createRevisionWatch({ db, clock: () => time.now }) };
}

test('callers that come together share one query', async () => {
  const { watch } = watchWithClock();
  const answers = await Promise.all([watch.fresh('identity'), watch.fresh('news'), watch.fresh('identity')]);
  expect(answers).toHaveLength(3);
  expect(queries).toBe(1);
});

test('a young answer is given again without a query', async () => {
  const { time, watch } = watchWithClock();
  const first = await watch.fresh('identity');
  time.now += 300;
  expect(watch.fresh('identity')).toBe(first);
  expect(queries).toBe(1);
});

test('a middle-aged answer is given at once and refreshed in the background', async () => {
  const { time, watch } = watchWithClock();
  const first = await watch.fresh('identity');
  await bumpRevision(db, 'identity');
  time.now += 301;
  expect(watch.fresh('identity')).toBe(first);
  expect(watch.fresh('news')).toBeTypeOf('number');
  await vi.waitFor(() => expect(watch.fresh('identity')).toBe(first + 1));
  expect(queries).toBe(2);
});

test('an old answer is not given', async () => {
  const { time, watch } = watchWithClock();
  const first = await watch.fresh('identity');
  await bumpRevision(db, 'identity');
  time.now += 901;
  expect(await watch.fresh('identity')).toBe(first + 1);
});

test('expiry makes the next call read, even beside a reading that began before', async () => {
  const { watch } = watchWithClock();
  const early = watch.fresh('identity');
  watch.expire();
  await bumpRevision(db, 'identity');
  const late = await watch.fresh('identity');
  expect(late).toBe((await early) + 1);
  expect(watch.fresh('identity')).toBe(late);
});

test('a failed reading in the background troubles nobody; one that is waited for does', async () => {
  let failures = 0;
  let isGone = false;
  const connect = async () => {
    if (!isGone) return pool.connect();
    failures++;
    throw new Error('gone');
  };
  const time = { now: 0 };
  const watch = createRevisionWatch({
    db: new KyselyClass<Tables>({ dialect: new PostgresDialect({ pool: { connect, end: async () => {} } }) }),
    clock: () => time.now,
  });
  const first = await watch.fresh('news');
  isGone = true;
  time.now = 500;
  expect(watch.fresh('news')).toBe(first);
  await vi.waitFor(() => expect(failures).toBe(1));
  time.now = 2_000;
  await expect(watch.fresh('news')).rejects.toThrow('gone');
  isGone = false;
  expect(await watch.fresh('news')).toBe(first);
});

test('a bump inside a transaction that is rolled back did not happen', async () => {
  const { watch } = watchWithClock();
  const before = await watch.fresh('news');
  await db
    .transaction()
    .execute(async (trx) => {
      await bumpRevision(trx, 'news');
      throw new Error('changed my mind');
    })
    .catch(() => {});
  watch.expire();
  expect(await watch.fresh('news')).toBe(before);
});

test('an unknown topic is a mistake in the code and says so', async () => {
  const { watch } = watchWithClock();
  await expect(bumpRevision(db, 'nonsense')).rejects.toThrow('no revision topic');
  await expect(watch.fresh('nonsense')).rejects.toThrow('no revision topic');
});
