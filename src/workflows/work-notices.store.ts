import type pg from 'pg';
import type { Listener } from '../db/listen.ts';

const channel = 'faultline_work';
/** Telling is a transaction of its own, and all of them queue for one lock of the server: under load one is enough for many changes. */
const tellEveryMs = 20;

/** Between processes: there may be work, or something changed. Nothing depends on hearing it, everybody polls too. */
export function listenForWork(options: { pool: pg.Pool; listener: Pick<Listener, 'on'>; onWork: () => void }): {
  tell(): void;
  stop(): Promise<void>;
} {
  const { pool, listener, onWork } = options;
  const me = Math.random().toString(36).slice(2);
  listener.on(channel, { onMessage: (from) => void (from !== me && onWork()), onConnect: onWork });
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
      await telling;
    },
  };
}
