import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DependencyTable } from '../graph/graph.service.ts';
import { decodeTable } from '../graph/model/dependency-table.ts';
import { createScratchPool, runQuery } from '../graph/model/query.ts';
import { TeamModel } from '../graph/model/testing/team-model.ts';
import { type FigureRow, rowsOf, toFigures } from './figures.ts';
import { type RollUpQuery, rollUp } from './roll-up.ts';
import type { Span } from './spans.ts';
import { DAY_SECONDS } from './states.ts';
import { anySpan, anyTimeline } from './testing/arbitrary-timeline.ts';
import { combine, fromPoints, measure, percentOf, TRUE_DAY, UNKNOWN_DAY } from './timeline.ts';
import { decodeTimeline, encodeTimeline } from './timeline-bytes.ts';

type Dependency = { id: number; windows: Span[] };
type Row = { id: number; dependencies: Dependency[] };

function tableOf(rows: Row[]): DependencyTable {
  const windows = rows.map(({ dependencies }) =>
    dependencies.flatMap(({ id, windows }) => windows.map((window) => ({ id, ...window }))),
  );
  const flat = windows.flat();
  const starts = [0];
  for (const { length } of windows) starts.push((starts.at(-1) ?? 0) + length);
  return {
    nodes: Uint32Array.from(rows, ({ id }) => id),
    rowStart: Uint32Array.from(starts),
    dependency: Uint32Array.from(flat, ({ id }) => id),
    from: Uint32Array.from(flat, ({ from }) => from),
    to: Uint32Array.from(flat, ({ to }) => to),
    names: [],
  };
}

const coverage = fc.integer({ min: 0, max: 100 });
const figure: fc.Arbitrary<Omit<FigureRow, 'id'>> = fc.oneof(
  fc.record({ timeline: fc.oneof(anyTimeline, fc.constant(TRUE_DAY)), coverage }).map(({ timeline, coverage }) => {
    const { value } = measure(timeline);
    return { value, coverage, timeline: value === null ? null : encodeTimeline(timeline) };
  }),
  fc.record({ value: fc.integer({ min: 0, max: 100 }), coverage, timeline: fc.constant(null) }),
);
const figureRows = fc
  .array(figure, { maxLength: 8 })
  .map((figures) => figures.map((one, i): FigureRow => ({ id: 3 * i, ...one })));
const windows: fc.Arbitrary<Span[]> = fc.oneof(
  fc.constant<Span[]>([{ from: 0, to: DAY_SECONDS }]),
  anySpan.map((span) => [span]),
  fc.tuple(anySpan, anySpan).map(([a, b]) => (a.to < b.from ? [a, b] : b.to < a.from ? [b, a] : [a])),
);
const tableRows = fc
  .array(
    fc.uniqueArray(fc.record({ id: fc.integer({ min: 0, max: 8 }).map((i) => 3 * i), windows }), {
      maxLength: 6,
      selector: ({ id }) => id,
    }),
    { maxLength: 6 },
  )
  .map((all) => all.map((dependencies, i): Row => ({ id: 100 + i, dependencies })));
const labels = ['Any'];
const threshold = { low: null, high: 0, isFilled: true };
const query: fc.Arbitrary<RollUpQuery> = fc.oneof(
  fc.record({ kind: fc.constant('operation'), operator: fc.constantFrom('AND', 'OR'), labels: fc.constant(labels) }),
  fc.record({
    kind: fc.constant('operation'),
    operator: fc.constantFrom('ATLEAST', 'RATIO'),
    threshold: fc.constantFrom(0.5, 1, 2),
    labels: fc.constant(labels),
  }),
  fc.record({
    kind: fc.constant('aggregation'),
    operator: fc.constantFrom('AVERAGE', 'MIN', 'MAX'),
    labels: fc.constant(labels),
  }),
);

/** One node by the functions for single timelines. */
function expected({ id, dependencies }: Row, rows: FigureRow[], query: RollUpQuery): FigureRow {
  const inputs = dependencies.map(({ id, windows }) => ({ windows, figure: rows.find((row) => row.id === id) }));
  const seconds = (spans: Span[]) => measure(TRUE_DAY, spans).knownSeconds;
  const active = inputs.reduce((sum, { windows }) => sum + seconds(windows), 0);
  const covered = inputs.reduce((sum, { windows, figure }) => sum + seconds(windows) * (figure?.coverage ?? 0), 0);
  const some = combine(
    { operator: 'OR' },
    inputs.map(({ windows }) => ({ timeline: TRUE_DAY, windows })),
  );
  const coverage = active === 0 ? 0 : (covered / active) * (measure(some).knownSeconds / DAY_SECONDS);
  if (query.kind === 'aggregation') {
    return { id, coverage, timeline: null, value: aggregated(inputs, query.operator) };
  }
  const timeline = combine(
    query,
    inputs.map(({ windows, figure }) => ({
      timeline: figure?.timeline ? decodeTimeline(figure.timeline) : UNKNOWN_DAY,
      windows,
    })),
  );
  const { value } = measure(timeline);
  return { id, coverage, timeline: value === null ? null : encodeTimeline(timeline), value };
}

function aggregated(inputs: Array<{ windows: Span[]; figure: FigureRow | undefined }>, operator: string) {
  const counted = inputs.flatMap(({ windows, figure }) => {
    if (!figure || figure.value === null) return [];
    const { knownSeconds, trueSeconds } = measure(
      figure.timeline ? decodeTimeline(figure.timeline) : TRUE_DAY,
      windows,
    );
    const good = figure.timeline ? trueSeconds : (knownSeconds * figure.value) / 100;
    return knownSeconds === 0 ? [] : [{ good, known: knownSeconds, value: percentOf(good, knownSeconds) ?? 0 }];
  });
  if (counted.length === 0) return null;
  if (operator === 'MIN') return Math.min(...counted.map(({ value }) => value));
  if (operator === 'MAX') return Math.max(...counted.map(({ value }) => value));
  const sum = (of: 'good' | 'known') => counted.reduce((total, one) => total + one[of], 0);
  return percentOf(sum('good'), sum('known'));
}

test('many nodes at once get what each would get alone', () => {
  const plain = ({ timeline, coverage, ...row }: FigureRow) => ({
    ...row,
    coverage: Math.fround(coverage),
    timeline: timeline && [...timeline],
  });
  const agrees = (table: Row[], rows: FigureRow[], one: RollUpQuery) =>
    isDeepStrictEqual(
      [...rowsOf(rollUp(tableOf(table), toFigures(rows), one))].map(plain),
      table.map((row) => plain(expected(row, rows, one))),
    );
  const property = fc.property(tableRows, figureRows, query, agrees);
  expect(fc.check(property, { numRuns: 1000 }).counterexample).toBeNull();
});

test('equal timelines are kept once, however many nodes have them, and thousands of others are told apart', () => {
  const rows = Array.from(
    { length: 9000 },
    (_, i): Row => ({ id: i, dependencies: [{ id: 9000 + (i % 6000), windows: [{ from: 0, to: DAY_SECONDS }] }] }),
  );
  const timelines = Array.from({ length: 6000 }, (_, i) =>
    fromPoints(
      [0, 60 + (i % 5000), 9000].map((at, k): [number, number] => [at, k % 2]),
      threshold,
      0,
    ),
  );
  const figures = toFigures(
    timelines.map((timeline, i) => ({
      id: 9000 + i,
      value: measure(timeline).value,
      coverage: 100,
      timeline: encodeTimeline(timeline),
    })),
  );
  const rolled = rollUp(tableOf(rows), figures, { kind: 'operation', operator: 'AND', labels });
  expect([figures.timelineStart, rolled.timelineStart].map((starts) => starts.length)).toEqual([5001, 5001]);
  expect([...rolled.values]).toEqual(rows.map((_, i) => measure(timelines[i % 6000]).value));
});

/**
 *   Web:site ── Db:always ──────────────────────────    never down
 *          └─────────────── Db:new from 12:00 ──────    down 10:00–10:01 and 14:00–14:10
 *
 * By hand: in its half of the day the new database costs 600 s, 85,799 / 86,399 = 99.306 %; counted all day it costs the minute
 * before the relationship began too, 85,739 / 86,399 = 99.236 %.
 */
test.each([
  ['while it is active', false, 99.306],
  ['for the whole day, as DepC did', true, 99.236],
])('a dependency of half a day counts %s', (_how, wholeDay, value) => {
  const dayFrom = 1_700_006_400;
  const model = new TeamModel();
  const [site, always, fresh] = [
    { label: 'Web', name: 'site' },
    { label: 'Db', name: 'always' },
    { label: 'Db', name: 'new' },
  ];
  model.write('add', [
    { source: site, target: always },
    { source: site, target: fresh, rel: { from: dayFrom + 43_200 } },
  ]);
  const steps = runQuery(model.graph, createScratchPool(), {
    kind: 'dependencyTable',
    label: 'Web',
    dependencyLabels: ['Db'],
    fromNode: 0,
    dayFrom,
    dayTo: dayFrom + DAY_SECONDS,
    wholeDay,
    withNames: false,
  });
  const table = decodeTable([...steps].find((step) => step !== undefined) ?? new Uint8Array(0));
  const points = [0, 36_000, 36_060, 50_400, 51_000].map((at, i): [number, number] => [dayFrom + at, i % 2]);
  const down = fromPoints(points, threshold, dayFrom);
  const idOf = (node: { label: string; name: string }) => Number(model.ask({ kind: 'nodeId', ...node }));
  const figures = toFigures([
    { id: idOf(always), value: 100, coverage: 100, timeline: encodeTimeline(TRUE_DAY) },
    { id: idOf(fresh), value: measure(down).value, coverage: 40, timeline: encodeTimeline(down) },
  ]);
  const [row] = rowsOf(rollUp(table, figures, { kind: 'operation', operator: 'AND', labels: ['Db'] }));
  expect(row.value).toBe(value);
  // By hand: (100 × 86,399 + 40 × 43,199) / (86,399 + 43,199).
  expect(row.coverage).toBeCloseTo(wholeDay ? 70 : 80.0002, 3);
});
