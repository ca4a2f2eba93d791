import type { BenchCase, BenchOptions, BenchRow, Figures, RowResult, Target } from './case.ts';

/** Runs the contenders of a case in turns, and reads the rows off the medians. */
export async function measureCase(
  benchCase: BenchCase,
  options: BenchOptions & { onRound(round: number, rounds: number): void },
): Promise<{ rows: RowResult[]; versions: Record<string, string> }> {
  const rounds = options.isQuick ? 1 : benchCase.rounds;
  const prepared = await benchCase.prepare({ isQuick: options.isQuick, isLarge: options.isLarge });
  try {
    const measured = new Map<string, Figures[]>(Object.keys(prepared.contenders).map((name) => [name, []]));
    for (let round = 1; round <= rounds; round++) {
      options.onRound(round, rounds);
      for (const [name, measure] of Object.entries(prepared.contenders)) measured.get(name)?.push(await measure());
    }
    const rows = [...(benchCase.rows ?? []), ...(prepared.rows ?? [])];
    return { rows: rows.map((row) => toResult(row, measured)), versions: prepared.versions };
  } finally {
    await prepared.close();
  }
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function toResult(row: BenchRow, measured: Map<string, Figures[]>): RowResult {
  const figuresOf = (contender: string): number[] => {
    const rounds = measured.get(contender);
    if (!rounds) throw new Error(`The row "${row.title}" names an unknown contender "${contender}".`);
    return rounds.map((figures) => {
      const value = figures[row.figure];
      if (value === undefined) throw new Error(`"${contender}" has no figure "${row.figure}".`);
      return value;
    });
  };
  const rounds = { ours: figuresOf(row.ours), peer: row.peer === undefined ? [] : figuresOf(row.peer) };
  const ours = median(rounds.ours);
  const peer = row.peer === undefined ? null : median(rounds.peer);
  const ratio = peer === null ? null : row.better === 'higher' ? ours / peer : peer / ours;
  return {
    title: row.title,
    unit: row.unit,
    ours,
    peer,
    peerName: row.peer ?? null,
    ratio,
    target: describeTarget(row.target, row.unit),
    isMet: isMet(row.target, ours, ratio),
    rounds,
  };
}

function isMet(target: Target, ours: number, ratio: number | null): boolean {
  if (target === 'none') return true;
  return 'below' in target ? ours < target.below : ratio !== null && ratio >= target.ratioAtLeast;
}

function describeTarget(target: Target, unit: string): string {
  if (target === 'none') return '';
  return 'below' in target ? `< ${target.below} ${unit}` : `ratio ≥ ${target.ratioAtLeast}`;
}
