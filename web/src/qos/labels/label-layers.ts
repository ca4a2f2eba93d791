import { labelsOf, parseQuery } from '../../../../src/qos/query.ts';
import type { TeamConfig } from '../qos-types.ts';

export type Place = { label: string; column: number; row: number };
export type LabelLayers = { places: Place[]; lines: { from: string; to: string }[]; columns: number; rows: number };

/**
 * Which label follows from which, in columns: a label stands left of everything that it follows from, and as near to it as that allows.
 * Within a column labels stand near those that name them.
 */
export function layersOf(config: TeamConfig): LabelLayers {
  const uses = new Map(Object.entries(config).map(([label, { qos }]) => [label, usedBy(qos, config)]));
  const users = (label: string): string[] => [...uses].flatMap(([from, used]) => (used.includes(label) ? [from] : []));
  const columnOf = new Map<string, number>();
  const place = (label: string, below: readonly string[]): number => {
    const known = columnOf.get(label);
    // A circle is a fault of the configuration, not of the drawing.
    if (known !== undefined || below.includes(label)) return known ?? 0;
    const column = Math.max(-1, ...users(label).map((one) => place(one, [...below, label]))) + 1;
    columnOf.set(label, column);
    return column;
  };
  for (const label of uses.keys()) place(label, []);
  const columns = Math.max(-1, ...columnOf.values()) + 1;
  const rowOf = new Map<string, number>();
  const places: Place[] = [];
  for (let column = 0; column < columns; column++) {
    const here = [...uses.keys()].filter((label) => columnOf.get(label) === column);
    const pull = new Map(here.map((label) => [label, meanOf(users(label).flatMap((one) => rowOf.get(one) ?? []))]));
    // Those that nobody names have the first column for themselves, the ones with the most below them first.
    const ordered = here.toSorted(
      (a, b) => (pull.get(a) ?? 0) - (pull.get(b) ?? 0) || reach(b, uses) - reach(a, uses) || (a < b ? -1 : 1),
    );
    for (const [row, label] of ordered.entries()) {
      rowOf.set(label, row);
      places.push({ label, column, row });
    }
  }
  return {
    places,
    lines: [...uses].flatMap(([from, used]) => used.map((to) => ({ from, to }))),
    columns,
    rows: Math.max(0, ...places.map(({ row }) => row + 1)),
  };
}

const meanOf = (rows: readonly number[]): number => rows.reduce((sum, row) => sum + row, 0) / Math.max(1, rows.length);

/** How many labels stand below one. */
function reach(label: string, uses: ReadonlyMap<string, string[]>): number {
  const seen = new Set<string>();
  const visit = (one: string): void => {
    if (seen.has(one)) return;
    seen.add(one);
    for (const next of uses.get(one) ?? []) visit(next);
  };
  visit(label);
  return seen.size;
}

function usedBy(qos: string, config: TeamConfig): string[] {
  const parsed = parseQuery(qos);
  return 'query' in parsed ? labelsOf(parsed.query).filter((label) => Object.hasOwn(config, label)) : [];
}
