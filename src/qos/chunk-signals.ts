/** Tells whoever waits in this process that a chunk of a run is done; what other processes do is found by looking again. */
export function createChunkSignals() {
  const waiting = new Map<string, Set<() => void>>();
  return {
    tell(runId: string): void {
      const all = waiting.get(runId);
      waiting.delete(runId);
      for (const wake of all ?? []) wake();
    },

    /** Until the next chunk of the run is done, or the time is up. */
    next(runId: string, maxMs: number): Promise<void> {
      return new Promise((resolve) => {
        const all = waiting.get(runId) ?? new Set();
        waiting.set(runId, all);
        const wake = (): void => {
          clearTimeout(timer);
          all.delete(wake);
          if (all.size === 0 && waiting.get(runId) === all) waiting.delete(runId);
          resolve();
        };
        const timer = setTimeout(wake, maxMs);
        all.add(wake);
      });
    },
  };
}
