/** A node as the page names it. */
export type NodeRef = { label: string; name: string };

/** `Label:name`: labels have no colon, so the first one divides. */
export const keyOf = ({ label, name }: NodeRef): string => `${label}:${name}`;

export function nodeOf(key: string): NodeRef {
  const colon = key.indexOf(':');
  return { label: key.slice(0, colon), name: key.slice(colon + 1) };
}

export const isSame = (a: NodeRef, b: NodeRef): boolean => a.label === b.label && a.name === b.name;

/** What stands to the right of a node in the drawing, and what stands to its left. */
export type Direction = 'dependencies' | 'impacted';
