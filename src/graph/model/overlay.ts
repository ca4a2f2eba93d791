import { MAX_NAME_CHARACTERS } from '../message.ts';
import type { Base } from './base.ts';
import { findBaseNode, findLabelId } from './base.ts';
import type { Change } from './change-codec.ts';
import { compareBytes, needsEscape } from './name-bytes.ts';
import { type NodeTimes, type RelationshipTimes, relationshipTimes } from './times.ts';

export type OverlayNode = {
  id: number;
  label: string;
  name: string;
  bytes: Uint8Array;
  needsEscape: boolean;
  isDeleted: boolean;
  times: NodeTimes;
  /** How many nodes of the base come before it in (name, label) order. */
  position: number;
  /** Its place among the overlay's own nodes in that order. */
  order: number;
};

type OverlayRelationship = RelationshipTimes & { id: number };

/** By neighbour: what the relationship is now, or null where the base's one is gone. */
export type Patch = Map<number, OverlayRelationship | null>;

export const TOUCHED_IN = 1;
export const TOUCHED_OUT = 2;
export const TOUCHED_NODE = 4;

/**
 * What changed since the base, in plain maps of one thread. `touched` says for each node whether a map must be asked,
 * so that a walk over untouched nodes costs one byte read more than a walk over the bare base.
 */
export class Overlay {
  readonly base: Base;
  version: number;
  nextNodeId: number;
  nextRelationshipId: number;
  size = 0;
  touched: Uint8Array;
  /** New nodes, at id - base.nextNodeId. */
  readonly added: OverlayNode[] = [];
  readonly deleted = new Set<number>();
  /** Replaced before a change while answers are being streamed, so that each answer stays at its version. */
  times = new Map<number, NodeTimes>();
  readonly out = new Map<number, Patch>();
  readonly in = new Map<number, Patch>();
  /** Difference in the number of nodes of a label. */
  readonly labelDelta = new Map<string, number>();
  readonly #idByName = new Map<string, Map<string, number>>();
  #ordered: OverlayNode[] = [];
  #unordered: OverlayNode[] = [];

  constructor(base: Base) {
    this.base = base;
    this.version = base.version;
    this.nextNodeId = base.nextNodeId;
    this.nextRelationshipId = base.nextRelationshipId;
    this.touched = new Uint8Array(base.nextNodeId);
  }

  /** `keepTimes`: an answer is being streamed that must not see the change. */
  apply(change: Change, keepTimes = false): void {
    if (change.version !== this.version + 1)
      throw new Error(`change to version ${change.version} does not follow version ${this.version}`);
    if (keepTimes && change.changedNodes.length > 0) this.times = new Map(this.times);
    this.#reserve(change.nextNodeId);
    for (const node of change.addedNodes) this.#addNode(node.id, node.label, node.name, node.from, node.to);
    for (const { id, from, to } of change.changedNodes) {
      this.times.set(id, { from, to });
      this.touched[id] |= TOUCHED_NODE;
    }
    for (const { source, target } of change.deletedRelationships) this.#patch(source, target, null);
    for (const { id, source, target, facts } of change.relationships)
      this.#patch(source, target, { id, ...relationshipTimes(facts) });
    for (const id of change.deletedNodes) this.#deleteNode(id);
    this.version = change.version;
    this.nextNodeId = change.nextNodeId;
    this.nextRelationshipId = change.nextRelationshipId;
    this.size +=
      change.addedNodes.length +
      change.changedNodes.length +
      change.deletedNodes.length +
      change.relationships.length +
      change.deletedRelationships.length;
  }

  addedNode(id: number): OverlayNode {
    return this.added[id - this.base.nextNodeId];
  }

  findAdded(label: string, name: string): number {
    return this.#idByName.get(label)?.get(name) ?? -1;
  }

  isDeleted(id: number): boolean {
    return id < this.base.nextNodeId ? this.deleted.has(id) : this.addedNode(id).isDeleted;
  }

  /** The overlay's own nodes in (name, label) order, with `position` and `order` up to date. */
  orderedNodes(): OverlayNode[] {
    if (this.#unordered.length > 0) {
      for (const node of this.#unordered) node.position = positionInBase(this.base, node);
      const fresh = this.#unordered.filter((node) => !node.isDeleted).toSorted(compareNodes);
      this.#ordered = mergeNodes(
        this.#ordered.filter((node) => !node.isDeleted),
        fresh,
      );
      for (const [order, node] of this.#ordered.entries()) node.order = order;
      this.#unordered = [];
    }
    return this.#ordered;
  }

  #reserve(nodeSlots: number): void {
    if (nodeSlots <= this.touched.length) return;
    const larger = new Uint8Array(Math.max(nodeSlots, Math.ceil(this.touched.length * 1.25) + 1024));
    larger.set(this.touched);
    this.touched = larger;
  }

  #addNode(id: number, label: string, name: string, from: number | null, to: number | null): void {
    const bytes = Buffer.from(name);
    const node: OverlayNode = {
      id,
      label,
      name,
      bytes,
      needsEscape: needsEscape(bytes, 0, bytes.length),
      isDeleted: false,
      times: { from, to },
      position: 0,
      order: 0,
    };
    this.added[id - this.base.nextNodeId] = node;
    this.#unordered.push(node);
    const names = this.#idByName.get(label) ?? new Map<string, number>();
    names.set(name, id);
    this.#idByName.set(label, names);
    this.labelDelta.set(label, (this.labelDelta.get(label) ?? 0) + 1);
  }

  #deleteNode(id: number): void {
    let label: string;
    if (id < this.base.nextNodeId) {
      this.deleted.add(id);
      this.touched[id] |= TOUCHED_NODE;
      label = this.base.labels[this.base.nodeLabel[id]];
    } else {
      const node = this.addedNode(id);
      node.isDeleted = true;
      label = node.label;
      // A node of the same name may have come after it in the same change.
      const names = this.#idByName.get(label);
      if (names?.get(node.name) === id) names.delete(node.name);
    }
    this.labelDelta.set(label, (this.labelDelta.get(label) ?? 0) - 1);
  }

  #patch(source: number, target: number, relationship: OverlayRelationship | null): void {
    patchSide(this.out, source, target, relationship);
    patchSide(this.in, target, source, relationship);
    this.touched[source] |= TOUCHED_OUT;
    this.touched[target] |= TOUCHED_IN;
  }
}

function patchSide(side: Map<number, Patch>, node: number, neighbour: number, value: OverlayRelationship | null): void {
  let patch = side.get(node);
  if (!patch) {
    patch = new Map();
    side.set(node, patch);
  }
  patch.set(neighbour, value);
}

function compareNodes(a: OverlayNode, b: OverlayNode): number {
  const byName = Buffer.compare(a.bytes, b.bytes);
  if (byName !== 0) return byName;
  if (a.label === b.label) return 0;
  return a.label < b.label ? -1 : 1;
}

function mergeNodes(a: OverlayNode[], b: OverlayNode[]): OverlayNode[] {
  if (a.length === 0) return b;
  const merged: OverlayNode[] = [];
  let i = 0;
  for (const node of b) {
    while (i < a.length && compareNodes(a[i], node) < 0) merged.push(a[i++]);
    merged.push(node);
  }
  while (i < a.length) merged.push(a[i++]);
  return merged;
}

function positionInBase(base: Base, node: OverlayNode): number {
  let low = 0;
  let high = base.idByRank.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const id = base.idByRank[middle];
    let order = compareBytes(base.names, base.nameStart[id], base.nameStart[id + 1], node.bytes, 0, node.bytes.length);
    if (order === 0) order = base.labels[base.nodeLabel[id]] < node.label ? -1 : 1;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The node's id, or -1, whether it stands in the base or came since. */
export function findNode(base: Base, overlay: Overlay | undefined, label: string, name: string): number {
  if (overlay) {
    const added = overlay.findAdded(label, name);
    if (added >= 0) return added;
  }
  // No name is longer, or has half a character: written as bytes it would become another one.
  if (name.length > 2 * MAX_NAME_CHARACTERS || !name.isWellFormed()) return -1;
  const length = nameBytes.write(name);
  const id = findBaseNode(base, findLabelId(base, label), nameBytes, 0, length);
  return id >= 0 && overlay?.deleted.has(id) ? -1 : id;
}

const nameBytes = Buffer.alloc(6 * MAX_NAME_CHARACTERS);
