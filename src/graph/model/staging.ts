import type { Facts } from '../periods.ts';
import { findRelationship, type Graph, listNeighbours, timesOf } from './graph.ts';
import { findNode } from './overlay.ts';

/** A node as a batch sees it, with what the batch did to it. */
export type StagedNode = {
  id: number;
  label: string;
  name: string;
  from: number | null;
  to: number | null;
  isNew: boolean;
  isChanged: boolean;
};

type StagedRelationship = {
  id: number;
  source: number;
  target: number;
  facts: Facts;
  isNew: boolean;
  isChanged: boolean;
};

/** Two node ids make one key; this keeps it a whole number that a double holds exactly. */
export const MAX_NODES = 2 ** 26;

/**
 * One prepared batch: everything it looked at or changed, on top of the batches before it and of the graph.
 * Null stands for what the batch deleted.
 */
export class Staging {
  readonly graph: Graph;
  readonly before: Staging[];
  readonly basedOn: number;
  nextNodeId: number;
  nextRelationshipId: number;
  readonly nodes = new Map<string, Map<string, StagedNode | null>>();
  readonly relationships = new Map<number, StagedRelationship | null>();
  /** Relationships that were there before this batch and are not any more. */
  readonly deleted: Array<{ id: number; source: number; target: number }> = [];

  /** `before`: batches that are prepared and not yet committed, oldest first. */
  constructor(graph: Graph, before: Staging[], basedOn: number) {
    const last = before.at(-1);
    const committed = graph.overlay ?? graph.base;
    this.graph = graph;
    this.before = before;
    this.basedOn = basedOn;
    this.nextNodeId = last?.nextNodeId ?? committed.nextNodeId;
    this.nextRelationshipId = last?.nextRelationshipId ?? committed.nextRelationshipId;
  }

  findNode(label: string, name: string): StagedNode | undefined {
    let names = this.nodes.get(label);
    const known = names?.get(name);
    if (known !== undefined) return known ?? undefined;
    const found = this.#findNodeBefore(label, name);
    if (found) {
      if (!names) {
        names = new Map();
        this.nodes.set(label, names);
      }
      names.set(name, found);
    }
    return found;
  }

  addNode(label: string, name: string): StagedNode {
    const node = { id: this.nextNodeId++, label, name, from: null, to: null, isNew: true, isChanged: false };
    this.#setNode(label, name, node);
    return node;
  }

  deleteNode(node: StagedNode): void {
    this.#setNode(node.label, node.name, null);
  }

  findRelationship(source: number, target: number): StagedRelationship | undefined {
    const key = relationshipKey(source, target);
    const known = this.relationships.get(key);
    if (known !== undefined) return known ?? undefined;
    const found = this.#findRelationshipBefore(key, source, target);
    if (found) this.relationships.set(key, found);
    return found;
  }

  addRelationship(source: number, target: number, facts: Facts): void {
    const id = this.nextRelationshipId++;
    const relationship = { id, source, target, facts, isNew: true, isChanged: false };
    this.relationships.set(relationshipKey(source, target), relationship);
  }

  deleteRelationship(id: number, source: number, target: number): void {
    this.deleted.push({ id, source, target });
    this.relationships.set(relationshipKey(source, target), null);
  }

  /** Every relationship of the node, in either direction. */
  listRelationships(node: number): Array<{ id: number; source: number; target: number }> {
    const found = new Map<number, { id: number; source: number; target: number }>();
    if (node < (this.graph.overlay ?? this.graph.base).nextNodeId) {
      for (const { node: target, relationship } of listNeighbours(this.graph, node, 'out'))
        found.set(relationshipKey(node, target), { id: relationship, source: node, target });
      for (const { node: source, relationship } of listNeighbours(this.graph, node, 'in'))
        found.set(relationshipKey(source, node), { id: relationship, source, target: node });
    }
    for (const batch of [...this.before, this]) {
      for (const [key, relationship] of batch.relationships) {
        if (relationship === null) found.delete(key);
        else if (relationship.source === node || relationship.target === node) found.set(key, relationship);
      }
    }
    return [...found.values()];
  }

  #setNode(label: string, name: string, node: StagedNode | null): void {
    const names = this.nodes.get(label) ?? new Map<string, StagedNode | null>();
    names.set(name, node);
    this.nodes.set(label, names);
  }

  #findNodeBefore(label: string, name: string): StagedNode | undefined {
    for (let i = this.before.length - 1; i >= 0; i--) {
      const staged = this.before[i].nodes.get(label)?.get(name);
      if (staged === null) return undefined;
      if (staged) return { ...staged, isNew: false, isChanged: false };
    }
    const id = findNode(this.graph.base, this.graph.overlay, label, name);
    if (id < 0) return undefined;
    const { from, to } = timesOf(this.graph, id);
    return { id, label, name, from, to, isNew: false, isChanged: false };
  }

  #findRelationshipBefore(key: number, source: number, target: number): StagedRelationship | undefined {
    for (let i = this.before.length - 1; i >= 0; i--) {
      const staged = this.before[i].relationships.get(key);
      if (staged === null) return undefined;
      if (staged) return { ...staged, isNew: false, isChanged: false };
    }
    const found = findRelationship(this.graph, source, target);
    return found && { ...found, source, target, isNew: false, isChanged: false };
  }
}

function relationshipKey(source: number, target: number): number {
  return source * MAX_NODES + target;
}
