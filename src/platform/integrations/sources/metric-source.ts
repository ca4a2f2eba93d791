/** One time series: unix seconds, ascending, and finite values. */
export type Series = { labels: Record<string, string>; points: Array<[number, number]> };

/** A place that measurements come from. */
export type MetricSource = {
  /** Talks to it as a query would. Resolves to a sentence about what was found; rejects with one that says what is wrong. */
  test(): Promise<string>;
  /** `text` is a query in the source's own language; both ends count. */
  query(text: string, startSeconds: number, endSeconds: number): Promise<{ series: Series[] }>;
};

/** The source answered, but not with what was asked for; its message is a sentence for people. */
export class SourceFailure extends Error {
  override name = 'SourceFailure';
  /** The same question would fail again: it is wrong itself, or the source refuses us. */
  readonly isPermanent: boolean;

  constructor(message: string, { isPermanent = false, ...options }: ErrorOptions & { isPermanent?: boolean } = {}) {
    super(message, options);
    this.isPermanent = isPermanent;
  }
}

/** Points in order, each second once (the last wins), within the range, and without what is no number. */
export function tidyPoints(
  points: Iterable<[number, number]>,
  startSeconds: number,
  endSeconds: number,
): Series['points'] {
  const bySecond = new Map<number, number>();
  for (const [seconds, value] of points) {
    const second = Math.floor(seconds);
    if (Number.isFinite(value) && second >= startSeconds && second <= endSeconds) bySecond.set(second, value);
  }
  return [...bySecond].toSorted(([a], [b]) => a - b);
}
