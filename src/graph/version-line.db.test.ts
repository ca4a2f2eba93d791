import type pg from 'pg';
import { expect, test } from 'vitest';
import { isPostgresProject, newTestDatabase, silentLog } from '../../test/harness/database.ts';
import { migrate } from '../db/migrate.ts';
import { openDatabase } from '../db/open.ts';
import { createGraphStore } from './graph.store.ts';
import { createVersionLine } from './version-line.store.ts';

const teamIds = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b'];

test.runIf(isPostgresProject())(
  'the kept connection answers as the pool does, and the pool when it is lost',
  async () => {
    const database = await openDatabase({ ...(await newTestDatabase()), log: silentLog });
    await migrate(database);
    const { pool } = database;
    const store = createGraphStore(database);
    for (const [version, id] of teamIds.entries()) {
      await pool.query('insert into teams (id, name) values ($1, $2)', [id, id]);
      await pool.query('insert into graphs (team_id, version) values ($1, $2)', [id, version + 5]);
    }
    let asked = 0;
    const clients: pg.PoolClient[] = [];
    const line = createVersionLine({
      pool: {
        connect: (async () => {
          const client = await pool.connect();
          clients.push(client);
          return client;
        }) as pg.Pool['connect'], // only this one of its forms is used
      },
      askPool: (ids) => {
        asked++;
        return store.listVersions(ids);
      },
    });
    const expected = await store.listVersions(teamIds);
    const unknown = '00000000-0000-4000-8000-00000000000c';

    // Until it is connected, the pool.
    for (let tries = 0; tries < 200; tries++) {
      const before = asked;
      expect(await line.listVersions([...teamIds, unknown])).toEqual(expected);
      if (asked === before) break;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const byPool = asked;
    expect(await line.listVersions(teamIds)).toEqual(expected);
    expect(await line.listVersions([teamIds[1]])).toEqual(new Map([[teamIds[1], 6]]));
    expect(await line.listVersions([unknown])).toEqual(new Map());
    expect(asked).toBe(byPool);

    await pool.query('select pg_terminate_backend(pid) from pg_stat_activity where query like $1', [
      '%newest_versions%',
    ]);
    expect(await line.listVersions(teamIds)).toEqual(expected);
    expect(clients).toHaveLength(1);
    line.stop();
    // Hangs if a connection was kept.
    await database.close();
  },
);
