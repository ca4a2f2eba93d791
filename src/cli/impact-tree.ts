export type NodeKey = { label: string; name: string };

/** A node in the tree, with what breaks when it does. */
export type ImpactNode = NodeKey & {
  isActive: boolean;
  /** Shown with what depends on it at another place. */
  isElsewhere: boolean;
  children: ImpactNode[];
  /** Children that were not looked at. */
  leftOut: number;
};

/** Whatever their activity: all, and by label. */
export type ImpactTotals = { total: number; perLabel: Array<{ label: string; count: number }> };

export type Line = { indent: string; label: string; name: string; note: string; isDim: boolean };

/**
 * The tree as lines, root first.
 *
 *   Database main
 *   ├── Api orders
 *   │   └── Website shop
 *   └── Website shop ↪
 */
export function treeLines(root: ImpactNode): Line[] {
  const lines: Line[] = [{ indent: '', label: root.label, name: root.name, note: '', isDim: false }];
  const walk = (node: ImpactNode, prefix: string): void => {
    for (const [index, child] of node.children.entries()) {
      const isLast = index === node.children.length - 1 && node.leftOut === 0;
      const note = [...(child.isElsewhere ? ['↪'] : []), ...(child.isActive ? [] : ['(inactive)'])].join(' ');
      const { label, name } = child;
      lines.push({ indent: `${prefix}${isLast ? '└── ' : '├── '}`, label, name, note, isDim: !child.isActive });
      walk(child, `${prefix}${isLast ? '    ' : '│   '}`);
    }
    if (node.leftOut > 0)
      lines.push({ indent: `${prefix}└── `, label: '', name: '', note: `… ${node.leftOut} more`, isDim: false });
  };
  walk(root, '');
  return lines;
}

/** Keeps only the branches that lead to nodes of the label. */
export function pruneTo(label: string, node: ImpactNode): ImpactNode {
  const children = node.children
    .map((child) => pruneTo(label, child))
    .filter((child) => child.label === label || child.children.length > 0);
  return { ...node, children };
}

/** Different nodes in the tree, without the root; of one label, if told. */
export function countShown(root: ImpactNode, label?: string): number {
  const seen = new Set<string>();
  const walk = (node: ImpactNode): void => {
    for (const child of node.children) {
      if (label === undefined || child.label === label) seen.add(keyOf(child));
      walk(child);
    }
  };
  walk(root);
  seen.delete(keyOf(root));
  return seen.size;
}

export const sumLeftOut = (node: ImpactNode): number =>
  node.children.reduce((sum, child) => sum + sumLeftOut(child), node.leftOut);

export const depthOf = (node: ImpactNode): number =>
  node.children.reduce((deepest, child) => Math.max(deepest, 1 + depthOf(child)), 0);

export const hasElsewhere = (node: ImpactNode): boolean =>
  node.children.some((child) => child.isElsewhere || hasElsewhere(child));

export const keyOf = ({ label, name }: NodeKey): string => `${label} ${name}`;
