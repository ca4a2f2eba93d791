import type pg from 'pg';

const retryMs = 1000;

/**
 * Hears what other processes say on a channel, over a connection of its own that is made again when it is lost. Messages may be missed
 * meanwhile: `onConnect` is the moment to see what happened, and whoever depends on it polls as well.
 */
export function listen(options: {
  pool: pg.Pool;
  /** Goes into the statement as it is. */
  channel: string;
  onMessage: (payload: string) => void;
  onConnect?: () => Promise<void>;
  log: { warn(fields: object, message: string): void };
}): { stop(): void } {
  const { pool, channel, onMessage, log } = options;
  let isStopped = false;
  let client: pg.PoolClient | undefined;
  let retry: NodeJS.Timeout | undefined;

  async function connect(): Promise<void> {
    if (isStopped) return;
    try {
      const connected = await pool.connect();
      if (isStopped) return connected.release(); // or closing the pool would wait for it for ever
      client = connected;
      connected.on('notification', ({ payload }) => payload !== undefined && onMessage(payload));
      connected.on('error', () => again(connected));
      connected.on('end', () => again(connected));
      await connected.query(`listen ${channel}`);
      await options.onConnect?.();
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
    retry = setTimeout(() => void connect(), retryMs).unref();
  }

  void connect();
  return {
    stop() {
      isStopped = true;
      clearTimeout(retry);
      client?.release(true);
      client = undefined; // stopping twice is harmless
    },
  };
}
