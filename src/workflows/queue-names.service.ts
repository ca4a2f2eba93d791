import type { EngineStore } from './engine.store.ts';

const maxAgeMs = 1000;

export type QueueNames = ReturnType<typeof createQueueNames>;

/** Names of all queues that workers may be given. Other processes add to them too, so they are read again every second. */
export function createQueueNames(store: Pick<EngineStore, 'saveQueues' | 'listQueues'>) {
  const saved = new Set<string>();
  let reading: Promise<string[]> | undefined;
  let readAt = 0;
  return {
    async add(names: string[]): Promise<void> {
      const unknown = [...new Set(names)].filter((name) => !saved.has(name));
      if (unknown.length === 0) return;
      await store.saveQueues(unknown);
      for (const name of unknown) saved.add(name);
      reading = undefined;
    },
    list(): Promise<string[]> {
      const now = performance.now();
      if (reading && now - readAt <= maxAgeMs) return reading;
      readAt = now;
      const mine = store.listQueues();
      // One that failed is not kept.
      mine.catch(() => {
        if (reading === mine) reading = undefined;
      });
      reading = mine;
      return mine;
    },
  };
}
