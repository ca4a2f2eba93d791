import { expect, test } from 'vitest';
import { startTestApp } from '../../test/harness/app.ts';
import { at, depends, newGraph } from '../../test/harness/graph.ts';

test('teams that crowd each other out of memory all get their answers', async () => {
  // Room for none: each load sends every other team out.
  const app = await startTestApp({ config: { graphMemoryBytes: 1 } });
  const graphs = await Promise.all(Array.from({ length: 8 }, () => newGraph(app)));
  await Promise.all(graphs.map((graph, n) => graph.add(depends('Web:a', 'Db:b'), { source: at(`Own:${n}`) })));
  for (let round = 0; round < 12; round++) {
    await Promise.all(
      graphs.map(async (graph, n) => {
        expect(await graph.names('Own')).toEqual([String(n)]);
        expect(await graph.impactedCount('Db:b')).toBe(1);
        expect((await graph.labels()).map(({ name }) => name)).toEqual(['Db', 'Own', 'Web']);
        expect(await graph.add(depends('Web:a', 'Db:b', { from: round }))).toMatchObject({ accepted: 1, unchanged: 0 });
        await graph.add({ source: at('Gone:x') });
        expect(await graph.remove('Gone:x')).toBe(200);
        expect((await graph.impacted('Db:b')).length).toBe(1);
      }),
    );
  }
});
