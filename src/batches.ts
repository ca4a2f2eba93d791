import { setTimeout as sleep } from 'node:timers/promises';

type Waiting<Item, Result> = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void };

/**
 * Gathers what arrives while one batch is under way and does it together next: alone a request waits for nobody, under load a hundred
 * share one transaction. With a window each batch waits that long for company. The order of arrival is kept. If a batch fails, each of its items is tried alone, so that a bad one fails alone.
 */
export function createBatches<Item, Result>(
  run: (items: Item[]) => Promise<Result[]>,
  { maxItems, maxWaiting, windowMs = 0 }: { maxItems: number; maxWaiting: number; windowMs?: number },
): { add(item: Item): Promise<Result>; isFull(): boolean; idle(): Promise<void> } {
  const waiting: Waiting<Item, Result>[] = [];
  let running: Promise<void> | undefined;

  async function runAll(): Promise<void> {
    while (waiting.length > 0) {
      // Whoever arrived in the same turn comes along; with a window, whoever arrives within it.
      await (windowMs > 0 ? sleep(windowMs) : Promise.resolve());
      await runOne(waiting.splice(0, maxItems));
    }
    running = undefined;
  }

  async function runOne(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await run(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => resolve(results[index]));
    } catch (error) {
      if (batch.length === 1) batch[0].reject(error);
      else for (const one of batch) await runOne([one]);
    }
  }

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        running ??= runAll();
      }),
    isFull: () => waiting.length >= maxWaiting,
    idle: () => running ?? Promise.resolve(),
  };
}
