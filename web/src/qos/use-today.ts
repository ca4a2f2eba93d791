import { useSyncExternalStore } from 'react';
import { dayOf } from './figures.ts';

const lookEveryMs = 30_000;

function listen(listener: () => void): () => void {
  const timer = setInterval(listener, lookEveryMs);
  return () => clearInterval(timer);
}

/** The day it is now, in UTC. What shows it is drawn again when the next one begins. */
export const useToday = (): string => useSyncExternalStore(listen, () => dayOf(new Date()));
