import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Child, startChild } from '../../test/harness/child.ts';
import type { Figures } from '../harness/case.ts';
import type { Load } from './load.ts';

/** Something that runs workflows, with a process that loads it. */
export type System = {
  version: string;
  run(load: Load): Promise<Figures>;
  stop(): Promise<void>;
};

/** How many tasks a worker runs at once: the same for all (Celery counts processes), and what ours does unless told otherwise. */
export const concurrency = 300;

export const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** A process that creates load, and nothing else: a loop shared with what is measured would measure itself. */
export async function startLoader(script: string, env: Record<string, string>): Promise<Pick<System, 'run' | 'stop'>> {
  const child = await startChild({ script: here(script), env, ready: /ready for loads/ });
  return {
    async run(load) {
      child.process.send(load);
      const [figures] = await Promise.race([
        once(child.process, 'message'),
        child.exited.then(() => {
          throw new Error(`${script} ended:\n${child.output()}`);
        }),
      ]);
      return figures as Figures; // the only thing it sends
    },
    stop: () => child.kill(),
  };
}

export async function stopAll(children: Pick<Child, 'kill'>[]): Promise<void> {
  await Promise.all(children.map((child) => child.kill()));
}
