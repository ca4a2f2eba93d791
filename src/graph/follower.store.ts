import type { Listener } from '../db/listen.ts';
import { graphChannel } from './graph.store.ts';

type Log = { warn(fields: object, message: string): void };

/**
 * Wakes up when another process has written, so that its changes are here before anybody asks. Only a convenience: whoever asks makes sure of
 * the newest version anyway, and a poll finds what a lost connection did not tell.
 */
export function followChanges(options: {
  listener: Pick<Listener, 'on'>;
  onChange: (teamId: string) => void;
  poll: () => Promise<void>;
  pollEveryMs?: number;
  log: Log;
}): { stop(): Promise<void> } {
  const { listener, onChange, poll, pollEveryMs = 2000, log } = options;
  listener.on(graphChannel, { onMessage: onChange, onConnect: poll });
  const poller = setInterval(() => {
    poll().catch((error: unknown) => log.warn({ err: error }, 'changes of other processes could not be read'));
  }, pollEveryMs).unref();
  return {
    async stop() {
      clearInterval(poller);
    },
  };
}
