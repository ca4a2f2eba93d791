import { type Facts, overlaps, type Periods, periodsOf } from '../periods.ts';

/**
 * Times inside the walked arrays are two unsigned 32-bit numbers, so that the usual question, "active at ts?", is two
 * compares: `from <= ts && to >= ts`.
 *
 *   from        to          means
 *   0           OPEN        always (periods [])
 *   f > 0       OPEN        [f]
 *   f           t           [f, t]
 *   ELSEWHERE   row         several periods, [0], or times beyond 32 bits: look into the side table
 *
 * The last form can never pass the two compares: ELSEWHERE <= ts only for the clamped ts, and a row number is smaller.
 */
export const OPEN = 0xffffffff;
export const ELSEWHERE = 0xffffffff;

/** Inline ends are at most OPEN - 1, so every later moment looks the same to them. */
export function clampToInline(ts: number): number {
  return ts > OPEN ? OPEN : ts;
}

function fitsInline(periods: Periods): boolean {
  if (periods.length === 0) return true;
  if (periods.length > 2 || periods[0] >= ELSEWHERE) return false;
  return periods.length === 2 ? periods[1] < OPEN : periods[0] > 0;
}

export function inlinePeriods(from: number, to: number): Periods {
  if (to !== OPEN) return [from, to];
  return from === 0 ? [] : [from];
}

/** A node's own activity: `from` and `to` in unix seconds, null when unbounded. */
export type NodeTimes = { from: number | null; to: number | null };

export function isNodeActiveAt({ from, to }: NodeTimes, ts: number): boolean {
  return (from === null || from <= ts) && (to === null || to >= ts);
}

/** Whether in some second of the range both the node and the relationship are active. */
export function areBothActiveWithin(times: NodeTimes, periods: Periods, from: number, to: number): boolean {
  return overlaps(periods, Math.max(from, times.from ?? -Infinity), Math.min(to, times.to ?? Infinity));
}

/** A relationship as the overlay and the answers see it. */
export type RelationshipTimes = { facts: Facts; periods: Periods; from: number; to: number };

export function relationshipTimes(facts: Facts): RelationshipTimes {
  const periods = periodsOf(facts);
  if (!fitsInline(periods)) return { facts, periods, from: ELSEWHERE, to: 0 };
  return { facts, periods, from: periods[0] ?? 0, to: periods[1] ?? OPEN };
}
