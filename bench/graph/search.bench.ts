import type { BenchCase } from '../harness/case.ts';
import { createAsker, p50Of } from './asker.ts';
import { closeEstate, openEstate, startOnEstate } from './estate.ts';

const mostRows = 50;

/** What somebody types into the explorer, on a team of a million nodes: one request, and no more rows than are shown. */
export const cases: BenchCase[] = [
  {
    name: 'search over HTTP',
    rounds: 3,
    prepare: async ({ isQuick }) => {
      const estate = await openEstate(isQuick);
      const { service, stop } = await startOnEstate(estate);
      const asker = createAsker(service);
      const search = async (text: string): Promise<void> => {
        const path = `/v1/teams/${estate.teamId}/graph/search?q=${encodeURIComponent(text)}&limit=${mostRows}`;
        const { nodes } = JSON.parse(await asker.ask(path)) as { nodes: unknown[] }; // our own interface
        if (nodes.length > mostRows) throw new Error(`${nodes.length} rows came.`);
      };
      // A part of many names, the same each time: remembered. A part of none, another each time: all names are looked at.
      let asked = 0;
      const many = () => search(estate.small.name.slice(0, 3));
      const none = () => search(`nobody has ${asked++}`);
      for (const ask of [many, none]) await ask();
      return {
        contenders: {
          faultline: async () => ({
            many: await p50Of(20, many),
            none: await p50Of(20, none),
          }),
        },
        rows: (['many', 'none'] as const).map((figure) => ({
          title: `search, ${estate.sized.title}, ${figure === 'many' ? 'found often, asked again' : 'found nowhere, new'}`,
          figure,
          unit: 'ms',
          better: 'lower' as const,
          ours: 'faultline',
          target: 'none' as const,
        })),
        versions: { database: service.database },
        async close() {
          asker.close();
          await stop();
        },
      };
    },
  },
];

export const close = closeEstate;
