import { type Opening, printOpening, type Shown } from '../explorer-state.ts';
import type { NeighbourPage } from '../graph-api.ts';
import { type Direction, isSame, keyOf, type NodeRef } from '../node-key.ts';

export type DrawnNode = NodeRef & {
  kind: 'node';
  key: string;
  /** The way it was come to: it is opened further in that direction. */
  side: Direction | 'root';
  isOld: boolean;
  isOpen: boolean;
};
/** Stands for the neighbours of a label that are too many to draw. */
export type DrawnRest = { kind: 'rest'; key: string; opening: Opening; label: string; count: number };
export type DrawnEdge = { key: string; from: string; to: string; isOld: boolean };
export type Drawing = { items: (DrawnNode | DrawnRest)[]; edges: DrawnEdge[] };

/** So many neighbours of one label are drawn; the others are counted. */
export const drawnPerLabel = 8;

/** What is asked for: the root's neighbours in the directions that are shown, and those of the nodes that were opened. */
export function listOpenings(root: NodeRef, shown: Shown, opened: readonly Opening[]): Opening[] {
  const own = (['impacted', 'dependencies'] as const)
    .filter((direction) => shown === 'both' || shown === direction)
    .map((direction) => ({ node: root, direction }));
  return [...own, ...opened.filter(({ node }) => !isSame(node, root))];
}

/**
 * Puts the pages together that came so far. Only what hangs together with the root is drawn, so that closing a node takes away what was
 * opened behind it.
 *
 *     web ── api ──▶ [db]        opened: db (root) both ways, api impacted
 *     and 40 more Apps ──▶ api   a rest: api has 48 Apps, 8 are drawn
 */
export function buildDrawing(
  root: NodeRef,
  openings: readonly Opening[],
  pages: ReadonlyMap<string, NeighbourPage | undefined>,
): Drawing {
  const items = new Map<string, DrawnNode | DrawnRest>();
  const edges = new Map<string, DrawnEdge>();
  items.set(keyOf(root), { ...root, kind: 'node', key: keyOf(root), side: 'root', isOld: false, isOpen: true });
  const waiting = new Set(openings);
  for (let isGrowing = true; isGrowing; ) {
    isGrowing = false;
    for (const opening of waiting) {
      const from = items.get(keyOf(opening.node));
      if (from?.kind !== 'node') continue;
      waiting.delete(opening);
      isGrowing = true;
      from.isOpen = true;
      const page = pages.get(printOpening(opening));
      if (page) addPage(items, edges, opening, page);
    }
  }
  return { items: [...items.values()], edges: [...edges.values()] };
}

function addPage(
  items: Map<string, DrawnNode | DrawnRest>,
  edges: Map<string, DrawnEdge>,
  opening: Opening,
  page: NeighbourPage,
): void {
  const { node, direction } = opening;
  const connect = (other: string, isOld: boolean): void => {
    const [from, to] = direction === 'dependencies' ? [keyOf(node), other] : [other, keyOf(node)];
    const key = `${from}\n${to}`;
    edges.set(key, { key, from, to, isOld });
  };
  for (const { label, name, old } of page.nodes) {
    const key = keyOf({ label, name });
    if (!items.has(key)) items.set(key, { kind: 'node', key, label, name, side: direction, isOld: old, isOpen: false });
    connect(key, old);
  }
  for (const { label, count } of page.groups) {
    const rest = count - page.nodes.filter((one) => one.label === label).length;
    if (rest <= 0) continue;
    const key = `${printOpening(opening)} ${label}`;
    items.set(key, { kind: 'rest', key, opening, label, count: rest });
    connect(key, false);
  }
}
