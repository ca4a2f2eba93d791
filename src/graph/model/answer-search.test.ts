import { expect, test } from 'vitest';
import { searchNodes } from './answer-search.ts';
import { BaseBuilder } from './base-builder.ts';

test('among a million nodes a search finds the best names, gives no more than asked, and lets others in between', () => {
  const nodes = 1_000_000;
  const builder = new BaseBuilder();
  const labels = ['Server', 'Website'].map((label) => builder.labelId(label));
  for (let id = 0; id < nodes; id++) {
    const name = Buffer.from(`host-${id}`);
    builder.addNode(id, labels[id % 2], name, 0, name.length, null, null);
  }
  const base = builder.finish({ version: 1, nextNodeId: nodes, nextRelationshipId: 0 });
  const search = searchNodes({ base, overlay: undefined }, { text: 'HOST-4242', limit: 50 });
  let pauses = 0;
  let step = search.next();
  for (; !step.done; step = search.next()) pauses++;
  expect(pauses).toBeGreaterThan(50);
  expect(step.value.more).toBe(true);
  expect(step.value.nodes).toHaveLength(50);
  expect(step.value.nodes.slice(0, 2)).toEqual([
    { label: 'Server', name: 'host-4242' },
    { label: 'Server', name: 'host-42420' },
  ]);
});
