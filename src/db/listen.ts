import type pg from 'pg';

const retryMs = 1000;

type Channel = {
  onMessage: (payload: string) => void;
  /** Something may have been missed until now. */
  onConnect?: () => Promise<void> | void;
};
export type Listener = ReturnType<typeof createListener>;

/**
 * Hears what other processes say, on one connection for all channels that is made again when it is lost. Messages may be missed
 * meanwhile: whoever depends on them looks for itself in `onConnect`, and polls.
 */
export function createListener(options: { pool: pg.Pool; log: { warn(fields: object, message: string): void } }) {
  const { pool, log } = options;
  const channels = new Map<string, Channel>();
  let isStopped = false;
  let client: pg.PoolClient | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function connect(): Promise<void> {
    if (isStopped) return;
    try {
      const connected = await pool.connect();
      if (isStopped) return connected.release(); // or closing the pool would wait for it for ever
      client = connected;
      connected.on('notification', ({ channel, payload }) => channels.get(channel)?.onMessage(payload ?? ''));
      connected.on('error', () => again(connected));
      connected.on('end', () => again(connected));
      for (const name of channels.keys()) await connected.query(`listen ${name}`);
      for (const { onConnect } of channels.values()) await onConnect?.();
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
    timer = setTimeout(() => void connect(), retryMs).unref();
  }

  return {
    /** The name goes into a statement as it is. All channels are named before `start`. */
    on(name: string, channel: Channel): void {
      channels.set(name, channel);
    },
    start(): void {
      void connect();
    },
    stop(): void {
      isStopped = true;
      clearTimeout(timer);
      client?.release(true);
      client = undefined; // stopping twice is harmless
    },
  };
}
