import { useSyncExternalStore } from 'react';

const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const short = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** A moment in the reader's zone; hovering tells it in UTC. `relative` says how long ago, and keeps up. */
export function Time({ at, format = 'short' }: { at: string | Date; format?: 'short' | 'full' | 'relative' }) {
  const date = typeof at === 'string' ? new Date(at) : at;
  const now = useNow(format === 'relative');
  const utc = `${date.toISOString().replace('T', ' ').slice(0, 19)} UTC`;
  const text = format === 'relative' ? ago(date.getTime(), now) : (format === 'full' ? full : short).format(date);
  return (
    <time dateTime={date.toISOString()} title={format === 'relative' ? `${full.format(date)}\n${utc}` : utc}>
      {text}
    </time>
  );
}

export function ago(thenMs: number, nowMs: number): string {
  const seconds = Math.round((thenMs - nowMs) / 1000);
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? (['second', 1] as const);
  return Math.abs(seconds) < 5 ? 'just now' : relative.format(Math.trunc(seconds / size), unit);
}

const tickMs = 10_000;
let now = Date.now();
const listeners = new Set<() => void>();
let ticker: ReturnType<typeof setInterval> | undefined;

/** One clock for all moments that are shown; it stands still when there are none. */
function listen(listener: () => void): () => void {
  listeners.add(listener);
  now = Date.now();
  ticker ??= setInterval(() => {
    now = Date.now();
    for (const one of listeners) one();
  }, tickMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(ticker);
    ticker = undefined;
  };
}
const listenToNothing = () => () => undefined;

export const useNow = (isTicking = true): number =>
  useSyncExternalStore(isTicking ? listen : listenToNothing, () => now);
