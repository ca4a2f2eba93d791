import type pg from 'pg';
import { frame, frameType, syncFrame } from '../db/wire.ts';

type Versions = Map<string, number>;

const statement = 'newest_versions';
const retryMs = 1000;

/**
 * The one query that every question waits for, on a connection that is kept for it: what pool and driver do around a query (checking out,
 * describing, planning a list of one anew each time) takes longer than the query itself. Without that connection the pool is asked.
 */
export function createVersionLine(options: {
  pool: Pick<pg.Pool, 'connect'>;
  askPool: (teamIds: string[]) => Promise<Versions>;
}) {
  const { pool, askPool } = options;
  let client: pg.PoolClient | undefined;
  let mayConnect = true;
  let isStopped = false;

  async function connect(): Promise<void> {
    mayConnect = false;
    let connected: pg.PoolClient | undefined;
    try {
      connected = await pool.connect();
      const opened = connected;
      opened.on('error', () => hangUp(opened)).on('end', () => hangUp(opened));
      await opened.query('set plan_cache_mode = force_generic_plan');
      await opened.query(
        `prepare ${statement} (uuid[]) as select team_id, version from graphs where team_id = any($1)`,
      );
      if (isStopped) opened.release(true);
      else client = opened;
    } catch {
      connected?.release(true);
      tryLater();
    }
  }

  function hangUp(lost: pg.PoolClient): void {
    if (lost !== client) return;
    client = undefined;
    lost.release(true);
    tryLater();
  }

  function tryLater(): void {
    setTimeout(() => {
      mayConnect = true;
    }, retryMs).unref();
  }

  return {
    listVersions(teamIds: string[]): Promise<Versions> {
      const asked = client;
      if (asked) {
        return askOn(asked, teamIds).catch(() => {
          hangUp(asked);
          return askPool(teamIds);
        });
      }
      if (mayConnect && !isStopped) void connect();
      return askPool(teamIds);
    },
    /** Or closing the pool would wait for the connection for ever. */
    stop(): void {
      isStopped = true;
      if (client) hangUp(client);
    },
  };
}

function askOn(client: pg.PoolClient, teamIds: string[]): Promise<Versions> {
  return new Promise((resolve, reject) => {
    const versions: Versions = new Map();
    const ask: VersionQuery = {
      submit: (connection) => void connection.stream.write(execute(teamIds)),
      handleDataRow: ({ fields: [teamId, version] }) => versions.set(teamId, Number(version)),
      handleCommandComplete: () => {},
      handleReadyForQuery: () => resolve(versions),
      handleError: reject,
    };
    client.query(ask);
  });
}

/** Bind, Execute and Sync in one piece, all values as text. */
function execute(teamIds: string[]): Buffer {
  const list = Buffer.from(`{${teamIds.join()}}`);
  const head = Buffer.from(`\0${statement}\0`); // the unnamed portal of our statement
  const body = Buffer.alloc(head.length + 10 + list.length);
  let at = head.copy(body);
  at = body.writeUInt16BE(0, at); // formats
  at = body.writeUInt16BE(1, at); // parameters
  at = body.writeUInt32BE(list.length, at);
  at += list.copy(body, at);
  body.writeUInt16BE(0, at); // formats of the answer
  return Buffer.concat([frame(frameType.bind, body), executeAll, syncFrame]);
}

const executeAll = frame(frameType.execute, Buffer.alloc(5)); // the unnamed portal, all rows

/** What pg calls on a query of another's making. */
type VersionQuery = {
  submit(connection: pg.Connection): void;
  handleDataRow(row: { fields: string[] }): void;
  handleCommandComplete(): void;
  handleReadyForQuery(): void;
  handleError(error: Error): void;
};
