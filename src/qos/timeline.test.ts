import fc from 'fast-check';
import { expect, test } from 'vitest';
import { intersectSpans, secondsIn } from './spans.ts';
import { DAY_SECONDS, STATES, type State } from './states.ts';
import type { Operator } from './sweep.ts';
import { anySpan, anyTimeline, knownTimeline } from './testing/arbitrary-timeline.ts';
import {
  andAll,
  changesOf,
  combine,
  coverageOf,
  FALSE_DAY,
  fromChecks,
  fromPoints,
  fromSeries,
  type Input,
  measure,
  type Point,
  percentOf,
  spansOf,
  type Threshold,
  type Timeline,
  TRUE_DAY,
  UNKNOWN_DAY,
} from './timeline.ts';

const DAY = 1_700_006_400;
const upTo = (high: number, isFilled = true): Threshold => ({ low: null, high, isFilled });
const at = (...points: Array<[second: number, value: number]>): Point[] =>
  points.map(([second, value]) => [DAY + second, value]);
const everyMinute = (value: (minute: number) => number): Point[] =>
  Array.from({ length: 1440 }, (_, minute) => [DAY + minute * 60, value(minute)]);
const day = (points: Point[], threshold = upTo(1)) => fromPoints(points, threshold, DAY);

test('a minute down in a day is 99.931', () => {
  const timeline = day(everyMinute((minute) => (minute === 600 ? 5 : 0)));
  expect(measure(timeline)).toEqual({ value: 99.931, knownSeconds: DAY_SECONDS, trueSeconds: DAY_SECONDS - 60 });
  expect(spansOf(timeline, 'false')).toEqual([{ from: 36_000, to: 36_060 }]);
});

test('two series are good where both are', () => {
  const down = (from: number) => everyMinute((minute) => (minute >= from && minute < from + 2 ? 5 : 0));
  const { timeline, coverage, points } = fromSeries([down(10), down(11)], upTo(1), DAY);
  expect(spansOf(timeline, 'false')).toEqual([{ from: 600, to: 780 }]);
  expect(measure(timeline).value).toBe(99.792);
  expect(points).toBe(2880);
  expect(coverage).toBeCloseTo((100 * 1439 * 60) / DAY_SECONDS, 9);
});

test('without points nothing is known', () => {
  expect(measure(day([]))).toEqual({ value: null, knownSeconds: 0, trueSeconds: 0 });
  expect(fromSeries([], upTo(1), DAY)).toEqual({ timeline: UNKNOWN_DAY, coverage: 0, points: 0 });
  expect(day(at([-1, 0], [86_400, 0], [5, Number.NaN]))).toEqual(UNKNOWN_DAY);
});

test('filled, the first value holds since midnight and the last until the end', () => {
  expect(changesOf(day(at([100, 5], [200, 0])))).toEqual([
    { at: 0, state: 'false' },
    { at: 200, state: 'true' },
  ]);
  expect(day(at([86_399, 0]))).toEqual(TRUE_DAY);
});

test('without filling, only the seconds from the first to the last point count', () => {
  const timeline = day(at([100, 0], [200, 5], [300, 0]), upTo(1, false));
  expect(changesOf(timeline)).toEqual([
    { at: 0, state: 'unknown' },
    { at: 100, state: 'true' },
    { at: 200, state: 'false' },
    { at: 300, state: 'unknown' },
  ]);
  expect(measure(timeline).value).toBe(50);
  expect(coverageOf(at([100, 0], [200, 5], [300, 0]), DAY)).toBeCloseTo((100 * 200) / 86_399, 9);
});

test.each([0, 1, 86_398, 86_399])(
  'without filling, a single point in second %i is a figure without coverage',
  (second) => {
    expect(measure(day(at([second, 0]), upTo(1, false))).value).toBe(100);
    expect(measure(day(at([second, 5]), upTo(1, false))).value).toBe(0);
    expect(coverageOf(at([second, 5]), DAY)).toBe(0);
  },
);

test('both bounds are good, beyond them is not', () => {
  const isGood = (value: number) => measure(day(at([0, value]), { low: 2, high: 4, isFilled: true })).value;
  expect([1.999, 2, 3, 4, 4.001, Infinity].map(isGood)).toEqual([0, 100, 100, 100, 0, 0]);
});

test('points may come in any order, and the last of a second counts', () => {
  const points = at([0, 0], [60, 5], [60, 0], [120, 5], [180, 0]);
  expect(changesOf(day(points)).map((change) => change.at)).toEqual([0, 120, 180]);
  expect(day([points[4], points[3], points[0], points[1], points[2]])).toEqual(day(points));
});

test('three decimals, a half rounded up', () => {
  expect(percentOf(1, 3)).toBe(33.333);
  expect(percentOf(2, 3)).toBe(66.667);
  expect(percentOf(1, 200_000)).toBe(0.001);
  expect(percentOf(86_398, 86_399)).toBe(99.999);
});

test('a check without data is left out of its rule and lowers the coverage; without any, nothing is known', () => {
  const good = { timeline: TRUE_DAY, coverage: 80 };
  const failed = { timeline: UNKNOWN_DAY, coverage: 0 };
  expect(fromChecks([good, failed])).toMatchObject({ value: 100, coverage: 40 });
  expect(fromChecks([failed, failed])).toEqual({ timeline: UNKNOWN_DAY, value: null, coverage: 0 });
  expect(fromChecks([])).toEqual({ timeline: UNKNOWN_DAY, value: null, coverage: 0 });
});

test('an unknown input is left out of the instant', () => {
  expect(andAll([UNKNOWN_DAY, TRUE_DAY])).toEqual(TRUE_DAY);
  expect(andAll([UNKNOWN_DAY, FALSE_DAY])).toEqual(FALSE_DAY);
  expect(andAll([])).toEqual(UNKNOWN_DAY);
});

/** Second by second, as slowly as one would write it down first. */
function stateAt(timeline: Timeline, second: number): State {
  return changesOf(timeline).findLast((change) => change.at <= second)?.state ?? 'unknown';
}
function expectedAt({ operator, ...rest }: Operator, inputs: Input[], second: number): State {
  const threshold = 'threshold' in rest ? rest.threshold : 0;
  const counted = inputs
    .flatMap(({ timeline, windows = [{ from: 0, to: DAY_SECONDS }] }) =>
      windows.some(({ from, to }) => from <= second && second < to) ? [stateAt(timeline, second)] : [],
    )
    .filter((state) => state !== 'unknown');
  if (counted.length === 0) return 'unknown';
  const trues = counted.filter((state) => state === 'true').length;
  const needed = { AND: counted.length, OR: 1, ATLEAST: threshold, RATIO: threshold * counted.length }[operator];
  return trues >= needed ? 'true' : 'false';
}

const operator: fc.Arbitrary<Operator> = fc.oneof(
  fc.record({ operator: fc.constantFrom('AND', 'OR') }),
  fc.record({ operator: fc.constant('ATLEAST'), threshold: fc.integer({ min: 1, max: 5 }) }),
  // Quarters, which no way of computing them rounds.
  fc.record({ operator: fc.constant('RATIO'), threshold: fc.constantFrom(0, 0.25, 0.5, 0.75, 1) }),
);
const input: fc.Arbitrary<Input> = fc.oneof(
  anyTimeline.map((timeline) => ({ timeline })),
  fc.record({ timeline: anyTimeline, windows: fc.array(anySpan, { maxLength: 1 }) }),
);
const counterexampleOf = <Values>(property: fc.IProperty<Values>) => fc.check(property).counterexample;
const isDeepEqual = (a: Timeline, b: Timeline) => a.length === b.length && a.every((change, i) => change === b[i]);
const isAtMost = (a: Timeline, b: Timeline) => measure(a).trueSeconds <= measure(b).trueSeconds;

test('every operator says at every instant what counting there says', () => {
  const seconds = fc.array(fc.integer({ min: 0, max: DAY_SECONDS - 1 }), { maxLength: 10 });
  const agrees = (operator: Operator, inputs: Input[], others: number[]) => {
    const combined = combine(operator, inputs);
    const changes = [combined, ...inputs.map(({ timeline }) => timeline)].flatMap((one) => changesOf(one));
    const edges = inputs.flatMap(({ windows = [] }) => windows.flatMap(({ from, to }) => [from, to - 1, to]));
    const all = [...others, ...edges, ...changes.flatMap((change) => [change.at - 1, change.at])];
    return all
      .filter((second) => second >= 0 && second < DAY_SECONDS)
      .every((second) => stateAt(combined, second) === expectedAt(operator, inputs, second));
  };
  expect(counterexampleOf(fc.property(operator, fc.array(input, { maxLength: 5 }), seconds, agrees))).toBeNull();
});

const several = fc.array(knownTimeline, { minLength: 1, maxLength: 6 });
const over = (timelines: Timeline[], operator: Operator) =>
  combine(
    operator,
    timelines.map((timeline) => ({ timeline })),
  );

test('AND is at most each input, and each input at most OR', () => {
  expect(
    counterexampleOf(
      fc.property(several, (timelines) =>
        timelines.every(
          (one) =>
            isAtMost(over(timelines, { operator: 'AND' }), one) && isAtMost(one, over(timelines, { operator: 'OR' })),
        ),
      ),
    ),
  ).toBeNull();
});

test('one at least is OR, all at least is AND, more than there are is never', () => {
  const atLeast = (timelines: Timeline[], threshold: number) => over(timelines, { operator: 'ATLEAST', threshold });
  expect(
    counterexampleOf(
      fc.property(
        several,
        (timelines) =>
          isDeepEqual(atLeast(timelines, 1), over(timelines, { operator: 'OR' })) &&
          isDeepEqual(atLeast(timelines, timelines.length), over(timelines, { operator: 'AND' })) &&
          isDeepEqual(atLeast(timelines, timelines.length + 1), FALSE_DAY),
      ),
    ),
  ).toBeNull();
});

test('a ratio lies between AND and OR, falls as it is raised, and is always true at zero', () => {
  const ratio = (timelines: Timeline[], threshold: number) => over(timelines, { operator: 'RATIO', threshold });
  const share = fc.double({ min: 0.001, max: 1, noNaN: true });
  expect(
    counterexampleOf(
      fc.property(several, share, share, (timelines, a, b) => {
        const [low, high] = [ratio(timelines, Math.min(a, b)), ratio(timelines, Math.max(a, b))];
        return (
          isAtMost(high, low) &&
          isAtMost(over(timelines, { operator: 'AND' }), high) &&
          isAtMost(low, over(timelines, { operator: 'OR' })) &&
          isDeepEqual(ratio(timelines, 1), over(timelines, { operator: 'AND' })) &&
          isDeepEqual(ratio(timelines, 0), TRUE_DAY)
        );
      }),
    ),
  ).toBeNull();
});

test('seven of a hundred are a ratio of 0.07', () => {
  const timelines = Array.from({ length: 100 }, (_, i) => (i < 7 ? TRUE_DAY : FALSE_DAY));
  expect(over(timelines, { operator: 'RATIO', threshold: 0.07 })).toEqual(TRUE_DAY);
});

test('the order of inputs does not matter, nor how ANDs and ORs are grouped', () => {
  const shuffled = fc
    .array(anyTimeline, { minLength: 2, maxLength: 6 })
    .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })));
  expect(
    counterexampleOf(fc.property(operator, shuffled, (one, [a, b]) => isDeepEqual(over(a, one), over(b, one)))),
  ).toBeNull();
  expect(
    counterexampleOf(
      fc.property(
        fc.constantFrom<Operator[]>({ operator: 'AND' }, { operator: 'OR' }),
        shuffled,
        (operator, [timelines]) => {
          const grouped = over([over(timelines.slice(0, 1), operator), over(timelines.slice(1), operator)], operator);
          return isDeepEqual(grouped, over(timelines, operator));
        },
      ),
    ),
  ).toBeNull();
});

test('the spans of all states are the whole day', () => {
  expect(
    counterexampleOf(
      fc.property(
        anyTimeline,
        (timeline) => STATES.reduce((sum, state) => sum + secondsIn(spansOf(timeline, state)), 0) === DAY_SECONDS,
      ),
    ),
  ).toBeNull();
});

test('what is true within a window is what the spans have in common', () => {
  expect(
    counterexampleOf(
      fc.property(
        anyTimeline,
        anySpan,
        (timeline, window) =>
          measure(timeline, [window]).trueSeconds === secondsIn(intersectSpans(spansOf(timeline, 'true'), [window])),
      ),
    ),
  ).toBeNull();
});
