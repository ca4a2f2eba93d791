/** When something with an id was seen, whether it was asked for before or after. */
export function createSightings() {
  const seenAt = new Map<string, number>();
  const waiting = new Map<string, (at: number) => void>();
  return {
    note(id: string): void {
      const at = performance.now();
      const resolve = waiting.get(id);
      if (resolve) resolve(at);
      else seenAt.set(id, at);
      waiting.delete(id);
    },
    wait(id: string): Promise<number> {
      const at = seenAt.get(id);
      seenAt.delete(id);
      return at === undefined ? new Promise((resolve) => waiting.set(id, resolve)) : Promise.resolve(at);
    },
  };
}
