import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chunkSizes, narrowConfig, stageLabels } from './run-plan.ts';

const config = {
  Web: { qos: 'operation.AND[Api, Disk]' },
  Api: { qos: 'operation.OR[Disk, Nowhere]' },
  Disk: { qos: 'rule.Up' },
  Shop: { qos: 'aggregation.MIN[Web]' },
  Alone: { qos: 'operation.AND[Nowhere]' },
};

test('a label comes one stage after the last of those that it names', () => {
  expect(stageLabels(config).map(({ label, stage }) => [label, stage])).toEqual([
    ['Disk', 0],
    ['Alone', 1],
    ['Api', 1],
    ['Web', 2],
    ['Shop', 3],
  ]);
});

test('a part of a configuration has all that the part needs, and nothing else', () => {
  expect(Object.keys(narrowConfig(config, ['Api']))).toEqual(['Api', 'Disk']);
  expect(Object.keys(narrowConfig(config, ['Shop', 'Disk']))).toEqual(['Web', 'Api', 'Disk', 'Shop']);
});

test('however many nodes there are, the chunks stay within what a workflow can list', () => {
  const label = fc.record({
    query: fc.constantFrom<Parameters<typeof chunkSizes>[0][number]['query']>(
      { kind: 'rule', name: 'Up' },
      { kind: 'operation', operator: 'AND', labels: [] },
    ),
    nodes: fc.integer({ min: 1, max: 100_000_000 }),
  });
  fc.assert(
    fc.property(fc.array(label, { maxLength: 1000 }), (labels) => {
      const sizes = chunkSizes(labels);
      const chunks = labels.reduce((sum, { nodes }, index) => sum + Math.ceil(nodes / sizes[index]), 0);
      expect(chunks).toBeLessThanOrEqual(5000 + labels.length);
    }),
  );
});
