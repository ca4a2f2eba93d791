import { platform, setPriority } from 'node:os';

/**
 * Makes this thread step back when processors are scarce: the event loop, which everybody waits for, then gets one at once. Only on Linux
 * does a priority belong to a thread; elsewhere it would hold back the whole process.
 */
export function stepBack(niceness: number): void {
  if (platform() !== 'linux') return;
  try {
    setPriority(niceness);
  } catch {
    // A sandbox may forbid it, and everything works without.
  }
}
