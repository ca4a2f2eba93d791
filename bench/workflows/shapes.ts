/**
 * The workflows that every contender runs. Each task returns `{ n }`, made from what the tasks before it returned, so that the last one
 * proves that all of them ran, in order, and that results were handed on.
 *
 *   dag    A ─▶ B, C, D ─▶ E         A: 1, B C D: one more than before, E: the sum         6
 *   chain  STEP ─▶ STEP ─▶ …         each one more than before                             40
 *   fan    LIST ─▶ ITEM × 1,000 ─▶ JOIN                                                    1,000
 */
export type Shape = 'dag' | 'chain' | 'fan';

export const chainLength = 40;
export const fanWidth = 1000;
export const expected: Record<Shape, number> = { dag: 6, chain: chainLength, fan: fanWidth };

export type Result = { n: number };

export const sum = (results: Result[]): Result => ({ n: results.reduce((total, { n }) => total + n, 0) });
export const next = (before: Result | undefined): Result => ({ n: (before?.n ?? 0) + 1 });
