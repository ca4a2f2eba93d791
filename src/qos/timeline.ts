import type { Span } from './spans.ts';
import { DAY_SECONDS, FALSE, STATES, type State, TRUE, UNKNOWN } from './states.ts';
import { type Operator, Sweep } from './sweep.ts';

/**
 * A day of one check, rule or node: the seconds at which its state changes, ascending, each packed as `second << 2 | state`. The first
 * change is at second 0, neighbours differ, and none is at the end of the day.
 *
 *   0        36000   36060        86399
 *   ├─ true ───┼ false ┼── true ───┤          [0 << 2 | TRUE, 36000 << 2 | FALSE, 36060 << 2 | TRUE]
 *
 * Timelines are never changed after they were made, so they may be shared.
 */
export type Timeline = Uint32Array;

/** Unix seconds and what was measured then. */
export type Point = readonly [ts: number, value: number];

export type Threshold = {
  /** Good from `low` to `high`, both included; null is no bound. */
  low: number | null;
  high: number | null;
  /** Off: only the seconds from the first to the last point are known. */
  isFilled: boolean;
};

/** One timeline among those that are combined, and when it counts; always, unless told. */
export type Input = { timeline: Timeline; windows?: readonly Span[] };

export const WHOLE_DAY: readonly Span[] = [{ from: 0, to: DAY_SECONDS }];
export const UNKNOWN_DAY: Timeline = Uint32Array.of(UNKNOWN);
export const FALSE_DAY: Timeline = Uint32Array.of(FALSE);
export const TRUE_DAY: Timeline = Uint32Array.of(TRUE);

/**
 * What one series of points says about the day that begins at `dayStart` (unix seconds). A value holds until the next point; filled, the
 * first one holds since midnight and the last one until the end. Of several points in a second the last counts; points of other days and
 * values that are not numbers are left out.
 */
export function fromPoints(points: readonly Point[], threshold: Threshold, dayStart: number): Timeline {
  const kept = pointsOfDay(points, dayStart);
  const first = kept.at(0);
  const last = kept.at(-1);
  if (!first || !last) return UNKNOWN_DAY;
  const { low, high, isFilled } = threshold;
  const builder = new TimelineBuilder();
  // A single point that is not filled has no length, and still is what we know: it counts for a second.
  const isMoment = !isFilled && first[0] === last[0];
  const knownFrom = isFilled ? 0 : isMoment ? Math.min(first[0], DAY_SECONDS - 1) : first[0];
  for (const [second, value] of kept) {
    const isGood = (low === null || value >= low) && (high === null || value <= high);
    builder.change(second === first[0] ? knownFrom : second, isGood ? TRUE : FALSE);
  }
  if (!isFilled) builder.change(isMoment ? knownFrom + 1 : last[0], UNKNOWN);
  return builder.finish();
}

/** Percent of the day between the first and the last point: what was measured, not filled. */
export function coverageOf(points: readonly Point[], dayStart: number): number {
  const kept = pointsOfDay(points, dayStart);
  const [first, last] = [kept.at(0), kept.at(-1)];
  return first && last ? (100 * (last[0] - first[0])) / DAY_SECONDS : 0;
}

/** A check: all series that its query found. Each must be good; coverage is the mean over those with points. */
export function fromSeries(
  series: ReadonlyArray<readonly Point[]>,
  threshold: Threshold,
  dayStart: number,
): { timeline: Timeline; coverage: number; points: number } {
  const kept = series.map((points) => pointsOfDay(points, dayStart)).filter((points) => points.length > 0);
  // Seconds of a day are points of the day that begins at 0.
  const coverage = kept.reduce((sum, points) => sum + coverageOf(points, 0), 0) / Math.max(1, kept.length);
  const timeline = andAll(kept.map((points) => fromPoints(points, threshold, 0)));
  return { timeline, coverage, points: kept.reduce((sum, points) => sum + points.length, 0) };
}

/** A rule: the checks of which something is known must be good. Each that lacks data lowers the coverage, their mean. */
export function fromChecks(checks: ReadonlyArray<{ timeline: Timeline; coverage: number }>): {
  timeline: Timeline;
  value: number | null;
  coverage: number;
} {
  const timeline = andAll(checks.map((check) => check.timeline));
  const coverage = checks.reduce((sum, check) => sum + check.coverage, 0) / Math.max(1, checks.length);
  return { timeline, value: measure(timeline).value, coverage };
}

/** True where all that are known are true, unknown where none is known: checks of a rule, series of a check. */
export const andAll = (timelines: readonly Timeline[]): Timeline =>
  timelines.length === 1
    ? timelines[0]
    : combine(
        { operator: 'AND' },
        timelines.map((timeline) => ({ timeline })),
      );

/** The operator at every instant, over the inputs that count there and are known; unknown where there are none. */
export function combine(operator: Operator, inputs: readonly Input[]): Timeline {
  for (const { timeline, windows = WHOLE_DAY } of inputs) {
    for (const { from, to } of windows) sweep.add(timeline, 0, timeline.length, from, to);
  }
  return sweep.changes.slice(0, sweep.run(operator));
}

export type Measure = {
  /** Percent of the known seconds that are true, three decimals; null where nothing is known. */
  value: number | null;
  knownSeconds: number;
  trueSeconds: number;
};

export function measure(timeline: Timeline, windows: readonly Span[] = WHOLE_DAY): Measure {
  let knownSeconds = 0;
  let trueSeconds = 0;
  for (const window of windows) {
    for (let i = 0; i < timeline.length; i++) {
      const { from, to } = spanAt(timeline, i);
      const seconds = Math.min(to, window.to) - Math.max(from, window.from);
      const state = timeline[i] & 3;
      if (seconds <= 0 || state === UNKNOWN) continue;
      knownSeconds += seconds;
      if (state === TRUE) trueSeconds += seconds;
    }
  }
  return { value: percentOf(trueSeconds, knownSeconds), knownSeconds, trueSeconds };
}

/** 100 × part / whole with three decimals, a half rounded up; null of nothing. */
export function percentOf(part: number, whole: number): number | null {
  // In whole numbers up to the last division, so that a half is a half.
  return whole === 0 ? null : Math.floor((200_000 * part + whole) / (2 * whole)) / 1000;
}

/** When it was in that state, in seconds of the day. */
export function spansOf(timeline: Timeline, state: State): Span[] {
  const code = STATES.indexOf(state);
  const spans: Span[] = [];
  for (let i = 0; i < timeline.length; i++) if ((timeline[i] & 3) === code) spans.push(spanAt(timeline, i));
  return spans;
}

/** For answers: every change with its second of the day. */
export function changesOf(timeline: Timeline): Array<{ at: number; state: State }> {
  return Array.from(timeline, (change) => ({ at: change >>> 2, state: STATES[change & 3] }));
}

/** Takes changes in order and keeps to what a `Timeline` promises. What is not said before the first one is unknown. */
export class TimelineBuilder {
  readonly #changes: number[] = [UNKNOWN];

  change(second: number, state: number): void {
    if (second >= DAY_SECONDS) return;
    const changes = this.#changes;
    // Twice in the same second: the later one.
    if (changes[changes.length - 1] >>> 2 === second) changes.pop();
    if (changes.length === 0 || (changes[changes.length - 1] & 3) !== state) changes.push((second << 2) | state);
  }

  finish(): Timeline {
    return Uint32Array.from(this.#changes);
  }
}

const sweep = new Sweep();

const spanAt = (timeline: Timeline, i: number): Span => ({
  from: timeline[i] >>> 2,
  to: i + 1 < timeline.length ? timeline[i + 1] >>> 2 : DAY_SECONDS,
});

/** Seconds of the day and values, ascending. */
function pointsOfDay(points: readonly Point[], dayStart: number): Point[] {
  const kept: Point[] = [];
  let isAscending = true;
  for (const [ts, value] of points) {
    const second = Math.floor(ts - dayStart);
    if (!(second >= 0 && second <= DAY_SECONDS) || Number.isNaN(value)) continue;
    if (kept.length > 0 && kept[kept.length - 1][0] > second) isAscending = false;
    kept.push([second, value]);
  }
  return isAscending ? kept : kept.toSorted((a, b) => a[0] - b[0]);
}
