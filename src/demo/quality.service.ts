import { z } from 'zod';
import type { Client } from '../cli/client.ts';
import type { Calendar } from './calendar.ts';
import { ensureNamed } from './ensure-named.service.ts';
import { listMeasurements } from './measurements.ts';
import { type CheckKey, checks, configurations, objectives, rules, sourceName } from './quality.ts';

const anything = z.unknown();
const sourceList = z.object({ sources: z.array(z.object({ name: z.string(), model: z.string() })) });
const configList = z.object({ configs: z.array(anything) });
const taken = z.object({ rejected: z.number(), errors: z.array(z.object({ message: z.string() })) });
const portion = 4000;

/** Told by its source: no other team has agents of that name that push. */
export async function isExampleTeam(client: Client, path: string): Promise<boolean> {
  const { sources } = (await client.get(`${path}/sources`, sourceList)).value;
  return sources.some(({ name, model }) => name === sourceName && model === 'push');
}

/** Source, checks, rules, both versions of the configuration, objectives: what is there stays. */
export async function loadQuality(client: Client, path: string): Promise<void> {
  const source = await ensureNamed(client, `${path}/sources`, 'sources', { name: sourceName, model: 'push' });
  const checkIds = new Map<CheckKey, string>();
  // Its keys are those of the literal it was made from.
  for (const key of Object.keys(checks) as CheckKey[])
    checkIds.set(key, await ensureNamed(client, `${path}/checks`, 'checks', { ...checks[key], source }));
  for (const { name, description, checks: keys } of rules) {
    const rule = await ensureNamed(client, `${path}/rules`, 'rules', { name, description });
    await client.put(`${path}/rules/${rule}/checks`, anything, { checks: keys.map((key) => checkIds.get(key)) });
  }
  const { configs } = (await client.get(`${path}/configs`, configList)).value;
  for (const configuration of configurations.slice(configs.length))
    await client.post(`${path}/configs`, anything, configuration);
  for (const [label, objective] of Object.entries(objectives))
    await client.put(`${path}/qos/objectives/${label}`, anything, objective);
}

export async function sendMeasurements(client: Client, path: string, calendar: Calendar, day: number): Promise<void> {
  const measurements = listMeasurements(calendar, day);
  for (let start = 0; start < measurements.length; start += portion) {
    const part = measurements.slice(start, start + portion);
    const { rejected, errors } = (await client.post(`${path}/measurements`, taken, part)).value;
    if (rejected > 0)
      throw new Error(`${rejected} measurements were rejected, the first because ${errors[0]?.message}`);
  }
}
