import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Message } from '../message.ts';
import { orderRanks } from './order.ts';
import { Scratch } from './scratch.ts';
import { ReferenceGraph } from './testing/reference-graph.ts';
import { TeamModel } from './testing/team-model.ts';

/** Graphs with many nodes and small impacts. */
const sparse = fc.array(fc.tuple(fc.nat(399), fc.nat(399)), { minLength: 100, maxLength: 250 });

it('small impacts in larger graphs come in order, in the base and with changes on top', { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(sparse, sparse, (first, second) => {
      const model = new TeamModel();
      const reference = new ReferenceGraph();
      for (const [round, pairs] of [first, second.slice(0, 40)].entries()) {
        const messages = pairs.map(([a, b]): Message => ({ source: node(a), target: node(b) }));
        model.write('add', messages);
        for (const message of messages) reference.add(message);
        if (round === 0) model.rebuild();
        for (const [, root] of pairs.slice(0, 12)) {
          const question = { ...node(root), skip: 0, limit: 1000, ts: 0 };
          const { label, name } = node(root);
          expect(model.ask({ kind: 'impacted', ...question })).toEqual(reference.impacted(label, name, 0));
        }
      }
    }),
    { numRuns: 40 },
  );
});

it('ranks come out ascending, whether they are sorted or read off a bitmap', () => {
  const scratch = new Scratch();
  const ranks = fc.constantFrom(300, 100_000);
  const values = ranks.chain((count) =>
    fc.tuple(fc.constant(count), fc.uniqueArray(fc.nat(count - 1), { maxLength: 200 })),
  );
  fc.assert(
    fc.property(values, fc.nat(60), ([count, list], upTo) => {
      const ordered = orderRanks(scratch, Uint32Array.from(list), list.length, count, upTo);
      expect([...ordered]).toEqual(list.toSorted((a, b) => a - b).slice(0, upTo));
    }),
    { numRuns: 300 },
  );
});

function node(id: number) {
  return { label: id % 3 === 0 ? 'App' : 'Db', name: `node-${(id * 7919) % 400}` };
}
