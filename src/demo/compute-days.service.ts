import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import type { Client } from '../cli/client.ts';
import { isoDate } from './calendar.ts';

const started = z.object({ runs: z.array(z.object({ id: z.string(), day: z.string() })) });
const runState = z.object({ day: z.string(), state: z.string(), workflow: z.string().nullable() });
const lookEveryMs = 500;

/** Computes the figures as everybody does, and waits until they are there. */
export async function computeDays(client: Client, path: string, days: number[], signal?: AbortSignal): Promise<void> {
  const [start, end] = [isoDate(days[0]), isoDate(days.at(-1) ?? days[0])];
  const { runs } = (await client.post(`${path}/qos/compute`, started, { start, end })).value;
  for (const { id } of runs) await waitForRun(client, `${path}/qos/runs/${id}`, signal);
}

async function waitForRun(client: Client, address: string, signal: AbortSignal | undefined): Promise<void> {
  for (;;) {
    const { day, state, workflow } = (await client.get(address, runState)).value;
    if (state === 'success') return;
    if (state === 'error' || state === 'canceled')
      throw new Error(`The figures of ${day} could not be computed; the workflow ${workflow} says why.`);
    await wait(lookEveryMs, undefined, { signal });
  }
}
