import type pg from 'pg';
import type { Database } from '../db/open.ts';
import { graphChannel } from './graph.store.ts';

type Log = { warn(fields: object, message: string): void };

const retryMs = 1000;

/**
 * Wakes up when another process has written, so that its changes are here before anybody asks. Only a convenience: whoever asks makes sure of
 * the newest version anyway, and a poll finds what a lost connection did not tell.
 */
export function followChanges(options: {
  pool: Database['pool'];
  onChange: (teamId: string) => void;
  poll: () => Promise<void>;
  pollEveryMs?: number;
  log: Log;
}): { stop(): Promise<void> } {
  const { pool, onChange, poll, pollEveryMs = 2000, log } = options;
  let isStopped = false;
  let client: pg.PoolClient | undefined;
  let retry: NodeJS.Timeout | undefined;

  async function listen(): Promise<void> {
    if (isStopped) return;
    try {
      const connected = await pool.connect();
      if (isStopped) return connected.release(); // or closing the pool would wait for it for ever
      client = connected;
      connected.on('notification', ({ payload }) => payload !== undefined && onChange(payload));
      connected.on('error', () => again(connected));
      connected.on('end', () => again(connected));
      await connected.query(`listen ${graphChannel}`);
      await poll(); // what happened before we listened
    } catch (error) {
      log.warn({ err: error }, 'changes of other processes are not heard at the moment');
      again(client);
    }
  }

  function again(lost: pg.PoolClient | undefined): void {
    if (isStopped || lost !== client) return;
    client = undefined;
    lost?.removeAllListeners('end');
    lost?.release(true);
    retry = setTimeout(() => void listen(), retryMs).unref();
  }

  const poller = setInterval(() => {
    poll().catch((error: unknown) => log.warn({ err: error }, 'changes of other processes could not be read'));
  }, pollEveryMs).unref();
  void listen();

  return {
    async stop() {
      isStopped = true;
      clearInterval(poller);
      clearTimeout(retry);
      client?.release(true);
      client = undefined; // stopping twice is harmless
    },
  };
}
