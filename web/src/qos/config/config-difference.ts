import type { TeamConfig } from '../qos-types.ts';

/** A label whose query differs; undefined where it has none. */
export type LabelDifference = { label: string; before: string | undefined; after: string | undefined };

export function differenceOf(before: TeamConfig, after: TeamConfig): LabelDifference[] {
  const labels = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  return labels
    .map((label) => ({ label, before: queryOf(before, label), after: queryOf(after, label) }))
    .filter((one) => one.before !== one.after);
}

const queryOf = (config: TeamConfig, label: string): string | undefined =>
  Object.hasOwn(config, label) ? config[label]?.qos : undefined;

/** "1 added, 2 changed" */
export function summaryOf(differences: readonly LabelDifference[]): string {
  const count = (isOne: (one: LabelDifference) => boolean, word: string): string[] => {
    const found = differences.filter(isOne).length;
    return found === 0 ? [] : [`${found} ${word}`];
  };
  const parts = [
    ...count(({ before }) => before === undefined, 'added'),
    ...count(({ before, after }) => before !== undefined && after !== undefined, 'changed'),
    ...count(({ after }) => after === undefined, 'removed'),
  ];
  return parts.length === 0 ? 'nothing changed' : parts.join(', ');
}

export type Part = { text: string; isDifferent: boolean };

/** Both texts in parts: words and signs that the other one does not have in this place are different. */
export function compareTexts(before: string, after: string): { before: Part[]; after: Part[] } {
  const [left, right] = [tokensOf(before), tokensOf(after)];
  // kept[i][j]: how many tokens the ends from i and from j have in common.
  const kept = Array.from({ length: left.length + 1 }, () => Array.from({ length: right.length + 1 }, () => 0));
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      const [here, below] = [kept[i] ?? [], kept[i + 1] ?? []];
      here[j] = left[i] === right[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, here[j + 1] ?? 0);
    }
  }
  const [sameLeft, sameRight] = [new Set<number>(), new Set<number>()];
  for (let i = 0, j = 0; i < left.length && j < right.length; ) {
    if (left[i] === right[j]) {
      sameLeft.add(i++);
      sameRight.add(j++);
    } else if ((kept[i + 1]?.[j] ?? 0) >= (kept[i]?.[j + 1] ?? 0)) i++;
    else j++;
  }
  return { before: partsOf(left, sameLeft), after: partsOf(right, sameRight) };
}

const tokensOf = (text: string): string[] => text.match(/\w+|\s+|[^\w\s]/g) ?? [];

function partsOf(tokens: readonly string[], same: ReadonlySet<number>): Part[] {
  const parts: Part[] = [];
  for (const [index, text] of tokens.entries()) {
    const isDifferent = !same.has(index);
    const last = parts.at(-1);
    if (last?.isDifferent === isDifferent) last.text += text;
    else parts.push({ text, isDifferent });
  }
  return parts;
}
