import { createSocket } from 'node:dgram';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Figures } from '../harness/case.ts';
import { median } from '../harness/measure.ts';
import { expected, type Shape } from './shapes.ts';
import { createSightings } from './sightings.ts';

/** What a load process knows of the system that it loads. */
export type LoadClient = {
  /** Resolves when the system has promised to run it: with its id. `tellPort`: where the first task says that it runs. */
  start(shape: Shape, tellPort?: number): Promise<string>;
  /** From now on `onEnded` is told of every workflow that ended, in the fastest way that the system offers. */
  watch(onEnded: (id: string) => void): Promise<{ stop(): Promise<void> }>;
  /** How many dags have ended so far, where asking is cheaper than watching. */
  countEnded?(): Promise<number>;
  /** What its last task returned, read from where it is kept. */
  resultOf(shape: Shape, id: string): Promise<number | undefined>;
};

export type Load =
  | { kind: 'throughput'; dags: number; starters: number }
  | { kind: 'latency'; shape: Shape; repeats: number };

const patienceMs = 120_000;
const lookEveryMs = 20;
/** Between two lonely workflows: what the last one left to do is done. */
const restMs = 20;

/** Takes loads from the parent process, one after the other. Lives on between them, so that its code is as warm as that of a service. */
export function serveLoads(client: LoadClient): void {
  process.on('message', (load: Load) => {
    const impatience = setTimeout(() => {
      throw new Error(`Not done after ${patienceMs / 1000} s: ${JSON.stringify(load)}`);
    }, patienceMs);
    void (async () => {
      process.send?.(await perform(client, load));
      clearTimeout(impatience);
    })();
  });
  process.on('disconnect', () => process.exit(0));
  process.stdout.write('ready for loads\n');
}

const perform = (client: LoadClient, load: Load): Promise<Figures> =>
  load.kind === 'throughput' ? throughput(client, load.dags, load.starters) : latency(client, load.shape, load.repeats);

/** From the first start until the last one has ended. Starters go on as soon as the system has taken their last one. */
async function throughput(client: LoadClient, dags: number, starters: number): Promise<Figures> {
  const before = (await client.countEnded?.()) ?? 0;
  let ended = 0;
  const watching = client.countEnded ? undefined : await client.watch(() => ended++);
  const ids: string[] = [];
  const accepted: number[] = [];
  let left = dags;
  const startedAt = performance.now();
  const startOn = async (): Promise<void> => {
    while (left-- > 0) {
      const at = performance.now();
      ids.push(await client.start('dag'));
      accepted.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: starters }, startOn));
  const startSeconds = (performance.now() - startedAt) / 1000;
  while (ended < dags) {
    await sleep(lookEveryMs);
    if (client.countEnded) ended = (await client.countEnded()) - before;
  }
  const seconds = (performance.now() - startedAt) / 1000;
  await watching?.stop();
  for (const id of ids.slice(-10)) await check(client, 'dag', id);
  return { dags: dags / seconds, starts: dags / startSeconds, acceptedUnderLoad: median(accepted) };
}

/** One workflow at a time on a system that does nothing else. */
async function latency(client: LoadClient, shape: Shape, repeats: number): Promise<Figures> {
  const ends = createSightings();
  const beginnings = createSightings();
  const ear = createSocket('udp4').on('message', (message) => beginnings.note(message.toString()));
  await new Promise<void>((resolve) => ear.bind(0, '127.0.0.1', resolve));
  const watching = await client.watch(ends.note);
  const times = { whole: [] as number[], accepted: [] as number[], running: [] as number[] };
  for (let i = 0; i < repeats; i++) {
    await sleep(restMs);
    const startedAt = performance.now();
    const id = await client.start(shape, ear.address().port);
    times.accepted.push(performance.now() - startedAt);
    times.running.push((await beginnings.wait(id)) - startedAt);
    times.whole.push((await ends.wait(id)) - startedAt);
    if (i % 10 === 0) await check(client, shape, id);
  }
  await watching.stop();
  ear.close();
  return { [shape]: median(times.whole), accepted: median(times.accepted), running: median(times.running) };
}

async function check(client: LoadClient, shape: Shape, id: string): Promise<void> {
  const result = await client.resultOf(shape, id);
  if (result !== expected[shape]) throw new Error(`The result of ${shape} ${id} is ${result}, not ${expected[shape]}.`);
}
