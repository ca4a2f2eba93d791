import type pg from 'pg';
import { listen } from '../db/listen.ts';

const channel = 'faultline_work';
/** Telling is a transaction of its own, and all of them queue for one lock of the server: under load one is enough for many changes. */
const tellEveryMs = 20;

/** Between processes: there may be work, or something changed. Nothing depends on hearing it, everybody polls too. */
export function listenForWork(options: {
  pool: pg.Pool;
  onWork: () => void;
  log: { warn(fields: object, message: string): void };
}): { tell(): void; stop(): Promise<void> } {
  const { pool, onWork, log } = options;
  const me = Math.random().toString(36).slice(2);
  const listener = listen({
    pool,
    channel,
    onMessage: (from) => void (from !== me && onWork()),
    onConnect: async () => onWork(),
    log,
  });
  let timer: NodeJS.Timeout | undefined;
  let telling: Promise<unknown> | undefined;
  return {
    tell() {
      timer ??= setTimeout(() => {
        timer = undefined;
        telling = pool.query('select pg_notify($1, $2)', [channel, me]).catch(() => undefined);
      }, tellEveryMs);
    },
    async stop() {
      clearTimeout(timer);
      listener.stop();
      await telling;
    },
  };
}
