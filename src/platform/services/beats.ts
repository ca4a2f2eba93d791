import type { BeatRow } from './services.store.ts';

/** Which row each of the beats became. */
export type BeatRound = { row: BeatRow; beats: number[] }[];

/**
 * Beats of one moment, folded so that a statement meets no service twice. Beats of the same user for the same service become one, the
 * later word counts; if several users claim one service, each has a round of its own, in the order in which they came.
 *
 *   ann: a, bob: a, ann: b, ann: a   ─▶   round 1: ann a (beats 0, 3), ann b (2)     round 2: bob a (1)
 */
export function foldBeats(rows: (BeatRow | undefined)[]): BeatRound[] {
  const byService = new Map<string, Map<string | null, BeatRound[number]>>();
  rows.forEach((row, beat) => {
    if (!row) return;
    const key = JSON.stringify([row.type, row.name]);
    const claims = byService.get(key) ?? new Map<string | null, BeatRound[number]>();
    byService.set(key, claims);
    const former = claims.get(row.ownerId);
    if (!former) claims.set(row.ownerId, { row, beats: [beat] });
    else {
      former.row = { ...former.row, fields: { ...former.row.fields, ...given(row.fields) } };
      former.beats.push(beat);
    }
  });
  const rounds: BeatRound[] = [];
  for (const claims of byService.values()) {
    [...claims.values()].forEach((claim, round) => {
      rounds[round] ??= [];
      rounds[round].push(claim);
    });
  }
  return rounds;
}

const given = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
