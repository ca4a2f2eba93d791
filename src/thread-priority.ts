import { readdirSync, readFileSync } from 'node:fs';
import { platform, setPriority } from 'node:os';

/**
 * Makes this thread step back when processors are scarce: the event loop, which everybody waits for, then gets one at once. Only on Linux
 * does a priority belong to a thread; elsewhere it would hold back the whole process.
 */
export const stepBack = (niceness: number): void => whereThreadsHavePriorities(() => setPriority(niceness));

/** The same for V8's own threads, which collect the garbage of all others: what walking threads leave behind is more than the event loop does. */
export function stepBackCollectors(niceness: number): void {
  whereThreadsHavePriorities(() => {
    for (const id of readdirSync('/proc/self/task')) {
      if (readFileSync(`/proc/self/task/${id}/comm`, 'utf8') === 'V8Worker\n') setPriority(Number(id), niceness);
    }
  });
}

function whereThreadsHavePriorities(change: () => void): void {
  if (platform() !== 'linux') return;
  try {
    change();
  } catch {
    // A sandbox may forbid it, and everything works without.
  }
}
