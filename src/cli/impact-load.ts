import type { z } from 'zod';
import type { nodeWithDependencies } from '../graph/graph.schemas.ts';
import { type ImpactNode, keyOf, type NodeKey } from './impact-tree.ts';

export type NodeAnswer = z.infer<typeof nodeWithDependencies>;
export type LoadOptions = {
  depth: number;
  maxChildren: number;
  /** The second that is looked at. */
  ts: number;
  /** Nodes of this label come first. */
  firstLabel?: string;
  /** Inactive ones are shown too. */
  inactive: boolean;
};

const requestsAtOnce = 8;

/**
 * What breaks with the root, level by level, so that a node is unfolded where it stands nearest to the root, and only there:
 * cycles end, and what is reached twice is read once.
 */
export async function loadTree(
  root: NodeKey,
  read: (node: NodeKey) => Promise<NodeAnswer>,
  options: LoadOptions,
): Promise<ImpactNode> {
  const tree = toNode(root, true);
  const seen = new Set([keyOf(root)]);
  /** Read, and found to be inactive at this second of the day. */
  const inactive = new Set<string>();
  let level = [tree];
  for (let depth = 0; depth < options.depth && level.length > 0; depth++) {
    const answers = await inGroups(level, read);
    const next: ImpactNode[] = [];
    for (const [index, node] of level.entries()) {
      const answer = answers[index];
      if (!answer) continue;
      if (node !== tree && !isWithin(answer, options.ts)) node.isActive = false;
      // It will be dropped; what depends on it may be reached on another way.
      if (!node.isActive && !options.inactive) {
        inactive.add(keyOf(node));
        continue;
      }
      const neighbours = listNeighbours(node, answer, options);
      node.leftOut = Math.max(0, neighbours.length - options.maxChildren);
      for (const { key, isActive } of neighbours.slice(0, options.maxChildren)) {
        // Through an inactive node nothing breaks.
        const child = toNode(key, isActive && node.isActive);
        child.isElsewhere = seen.has(keyOf(key));
        node.children.push(child);
        if (child.isElsewhere) continue;
        seen.add(keyOf(key));
        next.push(child);
      }
    }
    level = next;
  }
  return drop(inactive, tree);
}

/** A period holds at both its ends; an odd count is still open, an empty list is always. */
export function isInPeriods(periods: number[], ts: number): boolean {
  if (periods.length === 0) return true;
  for (let i = 0; i < periods.length; i += 2) {
    if (ts >= (periods[i] ?? 0) && ts <= (periods[i + 1] ?? Number.POSITIVE_INFINITY)) return true;
  }
  return false;
}

type Neighbour = { key: NodeKey; isActive: boolean };

function listNeighbours(node: NodeKey, { dependencies = {} }: NodeAnswer, options: LoadOptions): Neighbour[] {
  const neighbours = Object.entries(dependencies).flatMap(([label, entries]) =>
    entries
      // The first entry of its own label is the node itself, without periods.
      .filter(({ periods }) => periods !== undefined)
      .map(({ name, old = false, periods = [] }) => ({
        key: { label, name },
        isActive: !old && isInPeriods(periods, options.ts),
      })),
  );
  const shown = neighbours.filter(({ key, isActive }) => keyOf(key) !== keyOf(node) && (isActive || options.inactive));
  return shown.toSorted((a, b) => rank(a, options) - rank(b, options));
}

const rank = ({ key, isActive }: Neighbour, { firstLabel }: LoadOptions): number =>
  (isActive ? 0 : 2) + (firstLabel === undefined || key.label === firstLabel ? 0 : 1);

const isWithin = ({ from, to }: NodeAnswer, ts: number): boolean =>
  ts >= (from ?? 0) && ts <= (to ?? Number.POSITIVE_INFINITY);

const drop = (keys: Set<string>, node: ImpactNode): ImpactNode => ({
  ...node,
  children: node.children.filter((child) => !keys.has(keyOf(child))).map((child) => drop(keys, child)),
});

const toNode = ({ label, name }: NodeKey, isActive: boolean): ImpactNode => ({
  label,
  name,
  isActive,
  isElsewhere: false,
  children: [],
  leftOut: 0,
});

async function inGroups<In, Out>(items: In[], work: (item: In) => Promise<Out>): Promise<Out[]> {
  const results: Out[] = [];
  for (let at = 0; at < items.length; at += requestsAtOnce)
    results.push(...(await Promise.all(items.slice(at, at + requestsAtOnce).map(work))));
  return results;
}
