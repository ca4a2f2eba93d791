import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dependenciesOf, explainCosts } from './explain.ts';
import { secondsIn } from './spans.ts';
import { DAY_SECONDS, FALSE, TRUE } from './states.ts';
import { anySpan, anyTimeline } from './testing/arbitrary-timeline.ts';
import { combine, type Input, spansOf, type Timeline, TimelineBuilder, TRUE_DAY } from './timeline.ts';

const DAY = 1_700_006_400;

function downDuring(...spans: Array<[from: number, to: number]>): Timeline {
  const builder = new TimelineBuilder();
  builder.change(0, TRUE);
  for (const [from, to] of spans) {
    builder.change(from, FALSE);
    builder.change(to, TRUE);
  }
  return builder.finish();
}
const part = (key: string, timeline: Timeline | null, value: number | null = null) => ({ key, timeline, value });

test('the lost seconds are told for each that was down then, the most expensive first', () => {
  const [a, b] = [downDuring([300, 600]), downDuring([500, 900], [2000, 2060])];
  const node = combine({ operator: 'AND' }, [{ timeline: a }, { timeline: b }, { timeline: TRUE_DAY }]);
  expect(explainCosts(node, [part('a', a), part('fine', TRUE_DAY), part('b', b)], DAY)).toEqual([
    {
      key: 'b',
      costSeconds: 460,
      spans: [
        [DAY + 500, DAY + 900],
        [DAY + 2000, DAY + 2060],
      ],
    },
    { key: 'a', costSeconds: 300, spans: [[DAY + 300, DAY + 600]] },
    { key: 'fine', costSeconds: 0, spans: [] },
  ]);
});

test('being down costs nothing while the node is up, or while the dependency does not count', () => {
  const [a, b] = [downDuring([300, 600]), downDuring([500, 900])];
  const node = combine({ operator: 'OR' }, [{ timeline: a }, { timeline: b }]);
  expect(explainCosts(node, [part('a', a)], DAY)).toMatchObject([{ costSeconds: 100 }]);
  const late = { ...part('a', a), windows: [{ from: 550, to: DAY_SECONDS }] };
  expect(explainCosts(a, [late], DAY)).toMatchObject([{ costSeconds: 50 }]);
});

test('an aggregation loses what its dependencies lack', () => {
  const costs = explainCosts(
    null,
    [part('timeline', downDuring([300, 600])), part('unknown', null), part('aggregation', null, 99)],
    DAY,
  );
  expect(costs.map(({ key, costSeconds }) => [key, costSeconds])).toEqual([
    ['aggregation', 864],
    ['timeline', 300],
    ['unknown', 0],
  ]);
});

test('all seconds that an AND lost are explained, and no others', () => {
  const input: fc.Arbitrary<Input> = fc.record({ timeline: anyTimeline, windows: anySpan.map((span) => [span]) });
  const isExplained = (inputs: Input[]) => {
    const node = combine({ operator: 'AND' }, inputs);
    const costs = explainCosts(
      node,
      inputs.map((one, key) => ({ key, value: null, ...one })),
      0,
    );
    const blamed = costs.flatMap(({ spans }) =>
      spans.map(([from, to]) => ({ timeline: TRUE_DAY, windows: [{ from, to }] })),
    );
    const lost = secondsIn(spansOf(node, 'false'));
    return (
      secondsIn(spansOf(combine({ operator: 'OR' }, blamed), 'true')) === lost &&
      costs.every(({ costSeconds }) => costSeconds <= lost)
    );
  };
  expect(fc.check(fc.property(fc.array(input, { maxLength: 5 }), isExplained)).counterexample).toBeNull();
});

test('a row of a table has each dependency once, with all its windows', () => {
  const table = {
    nodes: Uint32Array.of(5, 6),
    rowStart: Uint32Array.of(0, 1, 4),
    dependency: Uint32Array.of(1, 2, 2, 3),
    from: Uint32Array.of(0, 10, 50, 0),
    to: Uint32Array.of(9, 20, 60, 7),
    names: [],
  };
  expect(dependenciesOf(table, 1)).toEqual([
    {
      id: 2,
      windows: [
        { from: 10, to: 20 },
        { from: 50, to: 60 },
      ],
    },
    { id: 3, windows: [{ from: 0, to: 7 }] },
  ]);
});
