import { Agent, get } from 'node:http';
import type { Service } from '../../test/harness/service.ts';
import { median } from '../harness/measure.ts';

export type Asker = { ask(path: string): Promise<string>; close(): void };

/** One client that asks over one connection, one question after the other. */
export function createAsker(service: Pick<Service, 'url' | 'adminToken'>): Asker {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { authorization: `Bearer ${service.adminToken}` };
  return {
    ask: (path) =>
      new Promise((resolve, reject) => {
        get(service.url + path, { agent, headers }, (answer) => {
          let text = '';
          answer.setEncoding('utf8');
          answer.on('data', (part: string) => {
            text += part;
          });
          answer.once('end', () =>
            answer.statusCode === 200
              ? resolve(text)
              : reject(new Error(`${path} answered ${answer.statusCode}: ${text}`)),
          );
        }).once('error', reject);
      }),
    close: () => agent.destroy(),
  };
}

/** The median time of so many runs, one after the other. */
export async function p50Of(times: number, run: () => Promise<unknown>): Promise<number> {
  const taken: number[] = [];
  for (let i = 0; i < times; i++) {
    const startedAt = performance.now();
    await run();
    taken.push(performance.now() - startedAt);
  }
  return median(taken);
}
