/** Something in the home that cannot be used, where it stands, and what to do about it. Lines and columns count from 1. */
export type Fault = {
  /** Relative to the home, with forward slashes. */
  file: string;
  line: number;
  column: number;
  /** One sentence. */
  message: string;
  /** The definition that it spoils; absent when it concerns the whole file. */
  workflow?: string;
};

export const formatFault = ({ file, line, column, message }: Fault): string => `${file}:${line}:${column} ${message}`;

/** In the order in which a reader meets them. */
export function sortFaults(faults: Fault[]): Fault[] {
  const order = (a: Fault, b: Fault) =>
    compareText(a.file, b.file) || a.line - b.line || a.column - b.column || compareText(a.message, b.message);
  return faults.toSorted(order);
}

/** ` Did you mean "RESERVE"?`, or nothing when no known name is near. */
export function suggest(name: string, known: Iterable<string>): string {
  let best: { name: string; distance: number } | undefined;
  const limit = Math.max(1, Math.floor(name.length / 3));
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) > limit) continue;
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance <= limit && (best === undefined || distance < best.distance)) best = { name: candidate, distance };
  }
  return best === undefined ? '' : ` Did you mean "${best.name}"?`;
}

export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Insertions, deletions, changes and swaps of neighbours that turn one text into the other. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min(above[j] + 1, row[j - 1] + 1, above[j - 1] + change);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, before[j - 2] + 1);
      row.push(cost);
    }
    before = above;
    above = row;
  }
  return above[b.length];
}
