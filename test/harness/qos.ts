import { expect } from 'vitest';
import type { TestApp } from './app.ts';
import { createGraphClient } from './graph.ts';
import { until } from './workflows.ts';

export type QosTeam = Awaited<ReturnType<typeof newQosTeam>>;

/** `{ 'Disk:one': [[second of the day, value], …] }` */
export type Measured = Record<string, [number, number][]>;

/** A team with a source that is pushed to and a rule `Up`, whose check `ping` is good at 1. */
export async function newQosTeam(app: TestApp) {
  const { id: teamId } = await app.createTeam();
  const client = createGraphClient(app, teamId);
  const base = `/v1/teams/${teamId}`;
  await app.arrange('POST', `${base}/sources`, { name: 'pushed', model: 'push' });

  async function addRule(name: string, checks: string[]): Promise<void> {
    const { id } = await app.arrange('POST', `${base}/rules`, { name });
    for (const check of checks) {
      await app.arrange('POST', `${base}/checks`, { name: check, source: 'pushed', threshold: '1:' });
    }
    await app.arrange('PUT', `${base}/rules/${id}/checks`, { checks });
  }
  await addRule('Up', ['ping']);

  return {
    ...client,
    addRule,
    async measure(day: string, measured: Measured, check = 'ping'): Promise<void> {
      const start = Date.parse(`${day}T00:00:00Z`) / 1000;
      const body = Object.entries(measured).flatMap(([node, points]) => {
        const [label, name] = node.split(':');
        return points.map(([second, value]) => ({ label, name, check, ts: start + second, value }));
      });
      const { rejected, errors } = await app.arrange('POST', `${base}/measurements`, body);
      expect(rejected, JSON.stringify(errors)).toBe(0);
    },
    configure: (config: Record<string, string>) =>
      app.arrange(
        'POST',
        `${base}/configs`,
        Object.fromEntries(Object.entries(config).map(([label, qos]) => [label, { qos }])),
      ),
    /** Starts runs and waits until they have ended well. */
    async compute(body: object): Promise<{ id: string; day: string; workflow: string }[]> {
      const { runs } = await app.arrange('POST', `${base}/qos/compute`, body);
      for (const { id } of runs) {
        let state = '';
        const isDone = async () => {
          ({ state } = await app.arrange('GET', `${base}/qos/runs/${id}`));
          return !['pending', 'progress'].includes(state);
        };
        await until(isDone, `run ${id} has ended`);
        expect(state).toBe('success');
      }
      return runs;
    },
    read: (path: string) => app.arrange('GET', `${base}${path}`),
    /** By day. */
    async history(label: string, name?: string, range = ''): Promise<Record<string, number | null>> {
      const query = `label=${label}${name === undefined ? '' : `&name=${encodeURIComponent(name)}`}${range}`;
      const { data } = await app.arrange('GET', `${base}/qos?${query}`);
      return Object.fromEntries(data.map((row: { day: string; value: number | null }) => [row.day, row.value]));
    },
  };
}

/** A day that is good but for some seconds, as the points where it changes. */
export const changes = (...outages: [number, number][]): [number, number][] => {
  const points = new Map<number, number>([
    [0, 1],
    [86_399, 1],
  ]);
  for (const [from, to] of outages) points.set(from, 0).set(to, 1);
  return [...points].toSorted(([a], [b]) => a - b);
};
