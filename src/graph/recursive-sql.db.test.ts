import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startTestApp } from '../../test/harness/app.ts';
import { at, newGraph } from '../../test/harness/graph.ts';
import { impactBySql } from '../../test/harness/recursive-sql.ts';

/** Many graphs in a team, none tied to another: a team for each would make tens of thousands of statements. */
const rounds = 5;
const teamsPerRound = 4;
const graphsPerTeam = 100;
const moments = [0, 3, 4, 7, 2 ** 32 + 1];

const time = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 0, max: 8 }) },
  { weight: 1, arbitrary: fc.constantFrom(2 ** 32, 2 ** 32 + 1) },
);
const name = fc.constantFrom('Web:a', 'Web:b', 'Web:c', 'Db:a', 'Db:d', 'Job:e');
const rel = fc.option(fc.record({ from: time, to: time }, { requiredKeys: [] }), { nil: undefined });
const own = fc.record({ from: fc.option(time), to: fc.option(time) }, { requiredKeys: [] });
const message = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(name, name, rel)
      .map(([source, target, times]) => ({ source: at(source), target: at(target), ...(times ? { rel: times } : {}) })),
  },
  { weight: 1, arbitrary: fc.tuple(name, own).map(([source, props]) => ({ source: at(source, props) })) },
);
/** With so few names, cycles, diamonds and self loops are the rule. */
const graphMessages = fc.record({
  first: fc.array(message, { minLength: 1, maxLength: 14 }),
  later: fc.array(message, { maxLength: 4 }),
  back: fc.array(message, { maxLength: 2 }),
});

test('the read model answers like recursive SQL on two thousand random graphs in time', {
  timeout: 180_000,
}, async () => {
  const app = await startTestApp();
  let compared = 0;
  let active = 0;
  const differences: object[] = [];
  for (let round = 0; round < rounds; round++) {
    const graphs = await Promise.all(Array.from({ length: teamsPerRound }, () => newGraph(app)));
    await Promise.all(
      graphs.map(async (graph) => {
        const given = fc.sample(graphMessages, { numRuns: graphsPerTeam });
        const all = (part: keyof (typeof given)[number]) =>
          given.flatMap((one, n) => one[part].map((sent) => numbered(sent, n)));
        await graph.add(...all('first'));
        // On top of what is in memory already, and taken away again.
        await graph.add(...all('later'));
        await graph.takeBack(...all('back'));
      }),
    );
    const ts = moments[round % moments.length];
    const expected = await impactBySql(
      app.database,
      graphs.map(({ teamId }) => teamId),
      ts,
    );
    await Promise.all(
      graphs.map(async (graph) => {
        for (const { name: label } of await graph.labels())
          for (const nodeName of await graph.names(label)) {
            const node = `${label}:${nodeName}`;
            const seen = await graph.impacted(node, `ts=${ts}`);
            const reference = expected.get(graph.teamId)?.get(node) ?? new Map<string, boolean>();
            const found = new Map(seen.map((entry) => [`${entry.label}:${entry.name}`, entry.active]));
            if (!isDeepStrictEqual(found, reference)) differences.push({ node, ts, found, reference });
            compared += seen.length;
            active += seen.filter((entry) => entry.active).length;
          }
      }),
    );
  }
  expect(differences).toEqual([]);
  // The law means nothing on graphs where nothing happens.
  expect(active).toBeGreaterThan(1000);
  expect(compared - active).toBeGreaterThan(1000);
});

type Sent = { source: { name: string }; target?: { name: string } };

/** The same message about the nodes of graph `n`. */
function numbered({ source, target, ...rest }: Sent, n: number): object {
  const of = (node: { name: string }) => ({ ...node, name: `${node.name} ${n}` });
  return { source: of(source), ...(target ? { target: of(target) } : {}), ...rest };
}
