/** Seconds of a day from `from` up to, but not including, `to`. Lists of them are ascending and do not overlap. */
export type Span = { from: number; to: number };

export const secondsIn = (spans: readonly Span[]): number => spans.reduce((sum, { from, to }) => sum + to - from, 0);

/** The seconds that lie in both. */
export function intersectSpans(a: readonly Span[], b: readonly Span[]): Span[] {
  const common: Span[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const from = Math.max(a[i].from, b[j].from);
    const to = Math.min(a[i].to, b[j].to);
    if (from < to) common.push({ from, to });
    if (a[i].to < b[j].to) i++;
    else j++;
  }
  return common;
}
