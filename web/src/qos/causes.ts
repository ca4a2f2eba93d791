import type { ExplainedNode } from './qos-types.ts';

/** A check that failed on a node below, and for how long that mattered. */
export type Cause = { label: string; name: string; check: string; seconds: number; spans: [number, number][] };

/** The checks at the ends of a tree of explanations, what took longest first. Each counts once, however many ways lead to it. */
export function causesOf(root: ExplainedNode): Cause[] {
  const found = new Map<string, Cause>();
  const visit = (node: ExplainedNode): void => {
    for (const { check, cost_seconds: seconds, spans } of node.checks ?? []) {
      const key = JSON.stringify([node.label, node.name, check]);
      if (seconds > (found.get(key)?.seconds ?? 0)) {
        found.set(key, { label: node.label, name: node.name, check, seconds, spans });
      }
    }
    for (const one of node.dependencies ?? []) visit(one);
  };
  visit(root);
  return [...found.values()].toSorted((a, b) => b.seconds - a.seconds);
}
