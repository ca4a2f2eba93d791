import type { RollUpQuery } from '../../src/qos/roll-up.ts';
import type { Span } from '../../src/qos/spans.ts';
import { DAY_SECONDS } from '../../src/qos/states.ts';
import { changesOf, type Timeline } from '../../src/qos/timeline.ts';

/**
 * The straightforward way, as DepC went it with data frames, and as one would write it first: a day is a map from seconds to what was so
 * then, in order; a node takes the union of all seconds of its dependencies, fills each of them in, and asks its operator at every one.
 */
export type PointMap = Map<number, boolean | null>;
export type PointInput = { points: PointMap; windows: Span[]; value: number | null };

/** A point a minute and one at every change: what such an implementation has in hand for a checked node, and for one that it computed. */
export function toMinutes(timeline: Timeline): PointMap {
  const changes = toChanges(timeline);
  const seconds = new Set([...changes.keys(), ...Array.from({ length: 1440 }, (_, minute) => minute * 60)]);
  return fill(changes, inOrder(seconds));
}

export function toChanges(timeline: Timeline): PointMap {
  return new Map(changesOf(timeline).map(({ at, state }) => [at, state === 'unknown' ? null : state === 'true']));
}

export function figureByPoints(query: RollUpQuery, inputs: PointInput[]): number | null {
  return query.kind === 'operation' ? operationByPoints(query, inputs) : averageByPoints(inputs);
}

function operationByPoints(operator: Extract<RollUpQuery, { kind: 'operation' }>, inputs: PointInput[]): number | null {
  const seconds = new Set([0, DAY_SECONDS]);
  for (const { points, windows } of inputs) {
    for (const second of points.keys()) seconds.add(second);
    for (const { from, to } of windows) seconds.add(from).add(to);
  }
  const ordered = inOrder(seconds);
  const filled = inputs.map(({ points }) => fill(points, ordered));
  const result: PointMap = new Map();
  for (const second of ordered) {
    const counted: boolean[] = [];
    for (const [i, { windows }] of inputs.entries()) {
      const state = filled[i].get(second) ?? null;
      if (state !== null && isWithin(windows, second)) counted.push(state);
    }
    result.set(second, counted.length === 0 ? null : decide(operator, counted));
  }
  return percent([sumUp(result)]);
}

function averageByPoints(inputs: PointInput[]): number | null {
  return percent(
    inputs.map(({ points, windows }) => {
      const seconds = new Set([...points.keys(), ...windows.flatMap(({ from, to }) => [from, to]), DAY_SECONDS]);
      const filled = fill(points, inOrder(seconds));
      for (const second of seconds) if (!isWithin(windows, second)) filled.set(second, null);
      return sumUp(filled);
    }),
  );
}

function decide(operator: Extract<RollUpQuery, { kind: 'operation' }>, counted: boolean[]): boolean {
  const trues = counted.filter((state) => state).length;
  if ('threshold' in operator) {
    return operator.operator === 'RATIO' ? trues / counted.length >= operator.threshold : trues >= operator.threshold;
  }
  return operator.operator === 'AND' ? trues === counted.length : trues > 0;
}

/** Forward, then backward. */
function fill(points: PointMap, ordered: number[]): PointMap {
  const filled: PointMap = new Map();
  let last: boolean | null | undefined;
  for (const second of ordered) {
    const state = points.get(second);
    if (state !== undefined) last = state;
    filled.set(second, last ?? null);
  }
  return filled;
}

function sumUp(points: PointMap): { known: number; good: number } {
  const seconds = [...points.keys()];
  let known = 0;
  let good = 0;
  for (const [i, state] of [...points.values()].entries()) {
    const length = (seconds[i + 1] ?? DAY_SECONDS) - seconds[i];
    if (state !== null) known += length;
    if (state === true) good += length;
  }
  return { known, good };
}

function percent(sums: Array<{ known: number; good: number }>): number | null {
  const known = sums.reduce((total, one) => total + one.known, 0);
  const good = sums.reduce((total, one) => total + one.good, 0);
  return known === 0 ? null : Math.round((100_000 * good) / known) / 1000;
}

const isWithin = (windows: Span[], second: number): boolean =>
  windows.some(({ from, to }) => from <= second && second < to);

const inOrder = (seconds: Set<number>): number[] => [...seconds].toSorted((a, b) => a - b);
