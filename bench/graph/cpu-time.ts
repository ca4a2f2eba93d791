/** Runs a generator to its end, and answers what it returned. */
export function drain<Result>(steps: Generator<unknown, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The clock of processor time ticks in steps of milliseconds. */
const longEnoughMs = 100;

/**
 * Milliseconds of this thread's processor time that one run takes: on a shared machine everything else measures the
 * neighbours. The run is repeated until it has taken long enough for the clock; the best of a few such rounds counts.
 */
export function bestCpuMs(run: () => void, rounds = 5): number {
  let repeats = 8;
  while (cpuMs(run, repeats) < longEnoughMs) repeats *= 2;
  return Math.min(...Array.from({ length: rounds }, () => cpuMs(run, repeats))) / repeats;
}

function cpuMs(run: () => void, repeats: number): number {
  const start = process.threadCpuUsage();
  for (let i = 0; i < repeats; i++) run();
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000;
}
