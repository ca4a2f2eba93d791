/**
 * One comparison: contenders that do the same work, measured in turns, and the figures to read off.
 *
 *   round 1: ours, peer     round 2: ours, peer     …     the median of each contender counts
 *
 * The machine's mood changes over minutes, so it hits both alike.
 */
export type BenchCase = {
  name: string;
  rounds: number;
  prepare(options: BenchOptions): Promise<PreparedCase>;
  rows?: BenchRow[];
};

export type BenchOptions = {
  /** Short runs on small data, to see that everything works. */
  isQuick: boolean;
  /** Also what takes minutes and gigabytes. */
  isLarge: boolean;
};

export type Figures = Record<string, number>;

export type PreparedCase = {
  /** By name; each call is one measurement. */
  contenders: Record<string, () => Promise<Figures>>;
  /** Rows that are only known now: real sizes stand in their titles, or a peer may not be installed. */
  rows?: BenchRow[];
  /** Versions of what was measured, for the record: `{ database: 'PGlite 0.5' }`. */
  versions: Record<string, string>;
  close(): Promise<void>;
};

export type BenchRow = {
  title: string;
  figure: string;
  unit: string;
  better: 'higher' | 'lower';
  ours: string;
  /** Absent where there is nothing to compare with, such as the weight of a load. */
  peer?: string;
  target: Target;
};

/** A ratio says how many times as good as the peer we are, whichever way is better. A limit binds our own figure. */
export type Target = { ratioAtLeast: number } | { below: number } | 'none';

export type RowResult = {
  title: string;
  unit: string;
  ours: number;
  peer: number | null;
  peerName: string | null;
  ratio: number | null;
  target: string;
  isMet: boolean;
  rounds: { ours: number[]; peer: number[] };
};
