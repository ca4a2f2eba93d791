import type { Message } from '../../message.ts';
import { addFact, type Facts, isActiveAt, overlaps, periodsOf, removeFact } from '../../periods.ts';

type Node = { label: string; name: string; from: number | null; to: number | null };
type Relationship = { source: string; target: string; facts: Facts };

/** The contract, written as plainly as possible: objects, sets, recursion. The read model must agree with it. */
export class ReferenceGraph {
  readonly nodes = new Map<string, Node>();
  readonly relationships = new Map<string, Relationship>();

  add(message: Message): boolean {
    const before = this.#print(message);
    const source = this.#upsert(message.source);
    if (message.target) {
      const target = this.#upsert(message.target);
      const key = `${source} → ${target}`;
      const facts = this.relationships.get(key)?.facts ?? null;
      this.relationships.set(key, { source, target, facts: addFact(facts, message.rel) });
    }
    return this.#print(message) !== before;
  }

  remove(message: Message): boolean {
    const before = this.#print(message);
    const source = keyOf(message.source);
    const node = this.nodes.get(source);
    if (node && !message.target) {
      if (message.source.from !== undefined && message.source.from === node.from) node.from = null;
      if (message.source.to !== undefined && message.source.to === node.to) node.to = null;
    }
    if (message.target) {
      const key = `${source} → ${keyOf(message.target)}`;
      const relationship = this.relationships.get(key);
      const facts = relationship ? removeFact(relationship.facts, message.rel) : null;
      if (relationship && facts) this.relationships.set(key, { ...relationship, facts });
      else this.relationships.delete(key);
    }
    return this.#print(message) !== before;
  }

  delete(label: string, name: string, detach: boolean): 'unknown' | 'has_relationships' | 'deleted' {
    const key = keyOf({ label, name });
    if (!this.nodes.has(key)) return 'unknown';
    const own = [...this.relationships].filter(([, r]) => r.source === key || r.target === key);
    if (own.length > 0 && !detach) return 'has_relationships';
    for (const [id] of own) this.relationships.delete(id);
    this.nodes.delete(key);
    return 'deleted';
  }

  labels() {
    const labels = [...new Set([...this.nodes.values()].map(({ label }) => label))].toSorted();
    return labels.map((name) => ({ name, nodes_count: this.names(name).length }));
  }

  names(label: string, substring = ''): string[] {
    const named = [...this.nodes.values()].filter((node) => node.label === label && node.name.includes(substring));
    return named.toSorted(inOrder).map(({ name }) => name);
  }

  /** Equal names, then those that begin with the text, then those that contain it. */
  search(text: string): Array<{ label: string; name: string }> {
    const folded = foldAscii(text);
    const kindOf = (name: string): number => (name === folded ? 0 : name.startsWith(folded) ? 1 : 2);
    return [...this.nodes.values()]
      .filter(({ name }) => foldAscii(name).includes(folded))
      .toSorted((a, b) => kindOf(foldAscii(a.name)) - kindOf(foldAscii(b.name)) || inOrder(a, b))
      .map(({ label, name }) => ({ label, name }));
  }

  times(label: string, name: string): { from: number | null; to: number | null } {
    const { from, to } = this.#get(keyOf({ label, name }));
    return { from, to };
  }

  count(label: string, name: string): number {
    return [...this.relationships.values()].filter(({ source }) => source === keyOf({ label, name })).length;
  }

  impacted(label: string, name: string, ts: number, impactedLabel?: string) {
    const root = keyOf({ label, name });
    const all = new Set<string>();
    this.#collect(root, all, () => true);
    const active = new Set<string>();
    if (this.#isNodeActive(root, ts))
      this.#collect(root, active, (r) => isActiveAt(periodsOf(r.facts), ts) && this.#isNodeActive(r.source, ts));
    all.delete(root);
    return [...all]
      .map((key) => ({ key, node: this.#get(key) }))
      .filter(({ node }) => impactedLabel === undefined || node.label === impactedLabel)
      .toSorted((a, b) => inOrder(a.node, b.node))
      .map(({ key, node }) => ({
        name: node.name,
        ...(impactedLabel === undefined ? { label: node.label } : {}),
        active: active.has(key),
        from: node.from,
        to: node.to,
      }));
  }

  /** Neighbours as `label, name, old, periods`, in order. */
  neighbours(
    label: string,
    name: string,
    day: { from: number; to: number },
    options: { inactive: boolean; impacted: boolean; onlyLabels?: string[] },
  ) {
    const key = keyOf({ label, name });
    return [...this.relationships.values()]
      .filter((r) => (options.impacted ? r.target : r.source) === key)
      .map((r) => ({
        node: this.#get(options.impacted ? r.source : r.target),
        periods: periodsOf(r.facts),
        relationship: `${r.source} → ${r.target}`,
      }))
      .filter(({ node }) => !options.onlyLabels || options.onlyLabels.includes(node.label))
      .map(({ node, periods, relationship }) => {
        const from = Math.max(day.from, node.from ?? 0);
        const to = Math.min(day.to, node.to ?? Infinity);
        return { label: node.label, name: node.name, old: !overlaps(periods, from, to), periods, relationship };
      })
      .filter(({ old }) => !old || options.inactive)
      .toSorted((a, b) => inOrder(a, b));
  }

  #collect(node: string, seen: Set<string>, isPassable: (relationship: Relationship) => boolean): void {
    for (const relationship of this.relationships.values()) {
      if (relationship.target !== node || seen.has(relationship.source) || !isPassable(relationship)) continue;
      seen.add(relationship.source);
      this.#collect(relationship.source, seen, isPassable);
    }
  }

  #isNodeActive(key: string, ts: number): boolean {
    const { from, to } = this.#get(key);
    return (from === null || from <= ts) && (to === null || to >= ts);
  }

  #upsert({ label, name, from, to }: Message['source']): string {
    const key = keyOf({ label, name });
    const node = this.nodes.get(key) ?? { label, name, from: null, to: null };
    if (from !== undefined) node.from = from;
    if (to !== undefined) node.to = to;
    this.nodes.set(key, node);
    return key;
  }

  #get(key: string): Node {
    const node = this.nodes.get(key);
    if (!node) throw new Error(`no node ${key}`);
    return node;
  }

  /** All that a message can change. */
  #print({ source, target }: Message): string {
    const ends = [keyOf(source), target ? keyOf(target) : ''];
    return JSON.stringify([...ends.map((key) => this.nodes.get(key)), this.relationships.get(ends.join(' → '))]);
  }
}

function keyOf({ label, name }: { label: string; name: string }): string {
  return `${label}:${name}`;
}

function foldAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** By the bytes of the name, then by label. */
function inOrder(a: { name: string; label: string }, b: { name: string; label: string }): number {
  const byName = Buffer.compare(Buffer.from(a.name), Buffer.from(b.name));
  if (byName !== 0) return byName;
  return a.label < b.label ? -1 : Number(a.label > b.label);
}
