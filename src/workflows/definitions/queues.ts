import { check, complaintsAbout } from './complaints.ts';
import type { Fault } from './fault.ts';
import { queuesFile } from './format.schemas.ts';
import type { YamlSource } from './yaml-source.ts';

/** What queues.yml allows a queue: so many tasks at once, and so many starts in so many seconds. */
export type QueueLimits = { concurrency?: number; rate?: { count: number; perSeconds: number } };

const unitSeconds: Record<string, number> = { s: 1, m: 60, h: 3600 };

export function readQueues(source: YamlSource, faults: Fault[]): Map<string, QueueLimits> {
  const complaints = complaintsAbout(source, undefined);
  const value = source.value === null ? {} : check(queuesFile, source.value, source.place, 'queues.yml', complaints);
  faults.push(...complaints.faults);
  const limits = Object.entries(value ?? {}).map(([name, { concurrency, rate }]): [string, QueueLimits] => {
    const [count = '', unit = ''] = rate?.split('/') ?? [];
    return [
      name,
      {
        ...(concurrency !== undefined && { concurrency }),
        ...(rate !== undefined && { rate: { count: Number(count), perSeconds: unitSeconds[unit] ?? 1 } }),
      },
    ];
  });
  return new Map(limits);
}
