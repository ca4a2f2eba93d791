/** What the rest of the code may rely on, whichever database is behind the driver. */
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { openTestDatabase } from '../../test/harness/database.ts';
import type { Database } from './open.ts';

let database: Database;
let pool: pg.Pool;
beforeAll(async () => {
  database = await openTestDatabase({ poolSize: 20 });
  pool = database.pool;
  await pool.query('create table items (id int primary key, name text)');
});
beforeEach(async () => {
  await pool.query('truncate items');
});

async function withClient<T>(use: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    return await use(client);
  } finally {
    client.release();
  }
}

async function* givingUp() {
  yield '1\ta\n';
  throw new Error('no more');
}

async function storedIds(): Promise<number[]> {
  const { rows } = await pool.query<{ id: number }>('select id from items order by id');
  return rows.map(({ id }) => id);
}

test('it says what it is', async () => {
  expect(database.describe()).toMatch(/^PostgreSQL \d+\.\d+$|^PGlite 0\.\d+\.\d+ \(PostgreSQL \d+\.\d+\)$/);
  expect(await database.isReady()).toBe(true);
});

test('bigint arrives as string, timestamptz as Date, bytea as Buffer', async () => {
  const { rows } = await pool.query(
    `select 9007199254740993::bigint as big, '2026-01-02T03:04:05Z'::timestamptz as at, '\\x00ff'::bytea as bytes`,
  );
  expect(rows).toEqual([
    { big: '9007199254740993', at: new Date('2026-01-02T03:04:05Z'), bytes: Buffer.from([0, 255]) },
  ]);
});

test('a committed transaction stays, a rolled back one goes, a savepoint undoes only its part', async () => {
  await withClient(async (client) => {
    await client.query('begin');
    await client.query('insert into items values (1)');
    await client.query('savepoint here');
    await client.query('insert into items values (2)');
    await client.query('rollback to savepoint here');
    await client.query('insert into items values (3)');
    await client.query('commit');
    await client.query('begin');
    await client.query('insert into items values (4)');
    await client.query('rollback');
  });
  expect(await storedIds()).toEqual([1, 3]);
});

test('an error inside a transaction reaches its client, poisons the transaction and nothing else', async () => {
  await withClient(async (client) => {
    await client.query('begin');
    await client.query('insert into items values ($1)', [1]);
    await expect(client.query('insert into items values ($1)', [1])).rejects.toMatchObject({ code: '23505' });
    await expect(client.query('select 1')).rejects.toMatchObject({ code: '25P02' });
    await client.query('rollback');
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });
  expect(await storedIds()).toEqual([]);
});

test('two clients may use one statement name for different statements', async () => {
  await withClient((one) =>
    withClient(async (other) => {
      const sum = { name: 'same', text: 'select $1::int + 1 as value' };
      const shout = { name: 'same', text: 'select upper($1) as value' };
      for (let round = 0; round < 3; round++) {
        expect((await one.query({ ...sum, values: [round] })).rows).toEqual([{ value: round + 1 }]);
        expect((await other.query({ ...shout, values: ['a'] })).rows).toEqual([{ value: 'A' }]);
      }
    }),
  );
});

test('transactions of two clients interleave without seeing each other', async () => {
  await withClient((one) =>
    withClient(async (other) => {
      await one.query('begin');
      await one.query('insert into items values (1)');
      // On the embedded database this waits until the first transaction has ended; on a server it need not.
      const otherSees = other.query('begin').then(() => other.query('select count(*)::int as n from items'));
      await one.query('insert into items values (2)');
      await one.query('commit');
      const { n } = (await otherSees).rows[0];
      expect([0, 2]).toContain(n);
      await other.query('insert into items values (3)');
      await other.query('commit');
    }),
  );
  expect(await storedIds()).toEqual([1, 2, 3]);
});

test('what a client did not commit before it was destroyed is rolled back', async () => {
  const client = await pool.connect();
  await client.query('begin');
  await client.query('insert into items values (1)');
  client.release(true);
  expect(await storedIds()).toEqual([]);
});

test('a client destroyed while its statement runs leaves the others working', async () => {
  const client = await pool.connect();
  client.on('error', () => {});
  await client.query('begin');
  const running = client.query('insert into items select generate_series(1, 50000)');
  client.release(true);
  await expect(running).rejects.toThrow(/terminated|closed|ended/i);
  expect(await storedIds()).toEqual([]);
});

test('twenty clients at once each keep their own transaction', async () => {
  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      withClient(async (client) => {
        for (let round = 0; round < 5; round++) {
          await client.query('begin');
          await client.query('insert into items values ($1)', [index * 10 + round]);
          await client.query(round % 2 === 0 ? 'commit' : 'rollback');
        }
      }),
    ),
  );
  const expected = Array.from({ length: 20 }, (_, index) => [0, 2, 4].map((round) => index * 10 + round)).flat();
  expect(await storedIds()).toEqual(expected);
});

test('COPY brings rows in and out', async () => {
  const rows = Array.from({ length: 20_000 }, (_, id) => `${id}\tname ${id}\n`);
  await withClient(async (client) => {
    await pipeline(Readable.from(rows), client.query(copyFrom('copy items (id, name) from stdin')));
    expect((await client.query('select count(*)::int as n from items')).rows).toEqual([{ n: 20_000 }]);
    const out = client.query(copyTo('copy (select id, name from items order by id) to stdout'));
    expect(await text(out)).toBe(rows.join(''));
  });
});

test('a COPY that fails says why, and the client goes on', async () => {
  await withClient(async (client) => {
    const broken = pipeline(Readable.from(['1\ta\n', 'x\tb\n']), client.query(copyFrom('copy items from stdin')));
    await expect(broken).rejects.toMatchObject({ code: '22P02' });
    const nowhere = pipeline(Readable.from(['1\n']), client.query(copyFrom('copy nowhere from stdin')));
    await expect(nowhere).rejects.toMatchObject({ code: '42P01' });
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });
  expect(await storedIds()).toEqual([]);
});

test('a COPY given up half-way stores nothing', async () => {
  await withClient(async (client) => {
    await expect(pipeline(Readable.from(givingUp()), client.query(copyFrom('copy items from stdin')))).rejects.toThrow(
      'no more',
    );
    await vi.waitFor(async () => expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]));
  });
  expect(await storedIds()).toEqual([]);
});

test('notifications reach the clients that listen to the channel, idle ones too, and only those', async () => {
  await withClient((listener) =>
    withClient(async (other) => {
      const heard: string[] = [];
      const overheard: string[] = [];
      listener.on('notification', ({ channel, payload }) => heard.push(`${channel}:${payload}`));
      other.on('notification', ({ channel, payload }) => overheard.push(`${channel}:${payload}`));
      await listener.query('listen topic_a');
      await other.query('listen "Topic B"');
      await pool.query(`select pg_notify('topic_a', '1'), pg_notify('Topic B', '2')`);
      await pool.query("begin; notify topic_a, 'never'; rollback");
      await vi.waitFor(() => expect([heard, overheard]).toEqual([['topic_a:1'], ['Topic B:2']]));
      await other.query('unlisten *');
      await pool.query(`select pg_notify('Topic B', '3'), pg_notify('topic_a', '4')`);
      await vi.waitFor(() => expect(heard).toEqual(['topic_a:1', 'topic_a:4']));
      expect(overheard).toEqual(['Topic B:2']);
      await listener.query('unlisten topic_a');
    }),
  );
});

test('a cursor is read in portions', async () => {
  await pool.query('insert into items select generate_series(1, 1000)');
  await withClient(async (client) => {
    await client.query('begin');
    await client.query('declare portion cursor for select id from items order by id');
    const first = await client.query('fetch 600 from portion');
    const rest = await client.query('fetch 600 from portion');
    await client.query('commit');
    expect([first.rowCount, rest.rowCount]).toEqual([600, 400]);
  });
});

test('an answer of many megabytes arrives whole', async () => {
  const { rows } = await pool.query<{ id: number; filler: string }>(
    `select id, repeat(md5(id::text), 30) as filler from generate_series(1, 20000) id`,
  );
  expect(rows).toHaveLength(20_000);
  expect(rows.at(-1)?.filler).toHaveLength(960);
  const { rows: large } = await pool.query<{ filler: string }>(`select repeat('x', 3000000) as filler`);
  expect(large[0]?.filler).toHaveLength(3_000_000);
});

test('odd texts survive the way there and back', async () => {
  const odd = ['', '\u{1f600}', 'a\tb\nc\\', "'; drop table items; --", '\\.', 'listen me', 'x'.repeat(100_000)];
  const { rows } = await pool.query('select unnest($1::text[]) as value', [odd]);
  expect(rows.map(({ value }) => value)).toEqual(odd);
});
