/**
 * One team's writes, in the order they came, from however many requests. While one batch is being written, the next is prepared already:
 *
 *   prepare 1 │ prepare 2 │ prepare 3 │
 *             │  write 1  │  write 2  │  write 3
 *
 * A write that finds the database ahead of us (another process wrote), or that fails, makes everything prepared after it worthless; it is
 * forgotten and prepared again from what was asked.
 */
export type WriterSteps<Job, Prepared> = {
  prepare(job: Job): Promise<Prepared>;
  /** `behind`: nothing was written, because the state the batch builds on is not the newest. */
  write(job: Job, prepared: Prepared): Promise<'written' | 'behind'>;
  /** Forgets all that was prepared and not written, and brings the state up to date. */
  recover(): Promise<void>;
};

type Entry<Job, Prepared> = { job: Job; resolve(prepared: Prepared): void; reject(error: unknown): void };

export function createWriterQueue<Job, Prepared>(steps: WriterSteps<Job, Prepared>) {
  const waiting: Entry<Job, Prepared>[] = [];
  let isRunning = false;

  async function run(): Promise<void> {
    let next: Promise<Prepared> | undefined;
    for (let entry = waiting[0]; entry !== undefined; entry = waiting[0]) {
      const prepared = await settle(next ?? steps.prepare(entry.job));
      const following = waiting.at(1);
      next = 'value' in prepared && following ? steps.prepare(following.job) : undefined;
      next?.catch(() => undefined); // looked at when its turn comes
      const written = 'value' in prepared ? await settle(steps.write(entry.job, prepared.value)) : prepared;
      if ('value' in written && 'value' in prepared && written.value === 'written') {
        waiting.shift();
        entry.resolve(prepared.value);
        continue;
      }
      if (next) await settle(next);
      next = undefined;
      if ('error' in written) {
        waiting.shift();
        entry.reject(written.error);
      }
      const recovered = await settle(steps.recover());
      if ('error' in recovered) for (const lost of waiting.splice(0)) lost.reject(recovered.error);
    }
    // In the same breath as the look at an empty queue: a push a moment later must start a new run.
    isRunning = false;
  }

  return {
    push: (job: Job): Promise<Prepared> =>
      new Promise((resolve, reject) => {
        waiting.push({ job, resolve, reject });
        if (isRunning) return;
        isRunning = true;
        void run();
      }),
    isIdle: (): boolean => !isRunning,
  };
}

async function settle<T>(promise: Promise<T>): Promise<{ value: T } | { error: unknown }> {
  try {
    return { value: await promise };
  } catch (error) {
    return { error };
  }
}
