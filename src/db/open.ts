import { Kysely, PostgresDialect } from 'kysely';
import type pg from 'pg';
import type { Logger } from 'pino';
import { openEmbedded } from './open-embedded.ts';
import { openServer } from './open-server.ts';
import type { Tables } from './tables.ts';

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;

/**
 * PostgreSQL, in either of its two shapes; nothing above this folder can tell which.
 *
 * Values arrive as `pg` gives them: timestamptz as Date, bigint as string (a JavaScript number holds only 53 bits).
 */
export type Database = {
  kind: 'embedded' | 'postgres';
  db: Kysely<Tables>;
  /** For what kysely has no words for: COPY, LISTEN, migrations. */
  pool: pg.Pool;
  /** For people: "PostgreSQL 15.18". */
  describe(): string;
  isReady(): Promise<boolean>;
  close(): Promise<void>;
};

export type OpenSettings = { databaseUrl?: string | undefined; dataDir: string; log: Log; poolSize?: number };

/** What each shape provides; the rest is the same for both. */
export type OpenedPool = Pick<Database, 'kind' | 'pool' | 'describe'> & { closeBehindPool: () => Promise<void> };

export async function openDatabase({ databaseUrl, dataDir, log, poolSize = 10 }: OpenSettings): Promise<Database> {
  const { closeBehindPool, ...opened } = databaseUrl
    ? await openServer({ databaseUrl, log, poolSize })
    : await openEmbedded({ dataDir, log, poolSize });
  const { pool } = opened;
  let closing: Promise<void> | undefined;
  return {
    ...opened,
    db: new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }),
    isReady: () =>
      pool.query('select 1').then(
        () => true,
        () => false,
      ),
    close: () => {
      closing ??= pool.end().then(closeBehindPool);
      return closing;
    },
  };
}
