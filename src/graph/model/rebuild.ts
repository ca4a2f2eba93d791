import { type Base, baseFacts, baseNodeTimes, EXISTS } from './base.ts';
import { BaseBuilder } from './base-builder.ts';
import { decodeChange } from './change-codec.ts';
import { Overlay } from './overlay.ts';
import { ELSEWHERE, OPEN } from './times.ts';

export type RebuildPolicy = {
  /** Changes that an overlay may always hold. */
  minChanges: number;
  /** Beyond that, the share of the base it may grow to: a bulk load rebuilds a logarithmic number of times. */
  share: number;
  /** And where memory per thread ends that. */
  maxChanges: number;
};

export const DEFAULT_REBUILD_POLICY: RebuildPolicy = { minChanges: 50_000, share: 0.25, maxChanges: 500_000 };

export function isRebuildDue(base: Base, changes: number, policy: RebuildPolicy): boolean {
  const share = (base.nodeCount + base.relationshipCount) * policy.share;
  return changes > Math.max(policy.minChanges, Math.min(share, policy.maxChanges));
}

/** The base with the payloads applied, as a new base. */
export function rebuild(base: Base, payloads: Uint8Array[]): Base {
  const overlay = new Overlay(base);
  for (const payload of payloads) overlay.apply(decodeChange(payload));
  return mergeOverlay(base, overlay);
}

function mergeOverlay(base: Base, overlay: Overlay): Base {
  const builder = new BaseBuilder();
  for (const label of base.labels) builder.labelId(label);
  addNodes(builder, base, overlay);
  addRelationships(builder, base, overlay);
  const { version, nextNodeId, nextRelationshipId } = overlay;
  return builder.finish({ version, nextNodeId, nextRelationshipId }, mergedOrder(base, overlay));
}

function addNodes(builder: BaseBuilder, base: Base, overlay: Overlay): void {
  for (let id = 0; id < base.nextNodeId; id++) {
    if ((base.nodeFlags[id] & EXISTS) === 0 || overlay.deleted.has(id)) continue;
    const times = overlay.times.get(id) ?? baseNodeTimes(base, id);
    const start = base.nameStart[id];
    builder.addNode(id, base.nodeLabel[id], base.names, start, base.nameStart[id + 1], times.from, times.to);
  }
  for (const node of overlay.added) {
    if (!node || node.isDeleted) continue;
    const { from, to } = overlay.times.get(node.id) ?? node.times;
    builder.addNode(node.id, builder.labelId(node.label), node.bytes, 0, node.bytes.length, from, to);
  }
}

function addRelationships(builder: BaseBuilder, base: Base, overlay: Overlay): void {
  const { outStart, outNode, outFrom, outTo, outId, sideIds, saidApart } = base;
  const side = new Set(sideIds);
  for (let source = 0; source < base.nextNodeId; source++) {
    const patch = overlay.out.get(source);
    for (let at = outStart[source]; at < outStart[source + 1]; at++) {
      if (patch?.has(outNode[at])) continue;
      const id = outId[at];
      const from = outFrom[at];
      const to = outTo[at];
      if (from === ELSEWHERE || side.has(id))
        builder.addRelationship(id, source, outNode[at], baseFacts(base, id, from, to));
      else {
        const isApart = to !== OPEN && (saidApart[id >>> 3] & (1 << (id & 7))) !== 0;
        builder.addInline(id, source, outNode[at], from, to, isApart);
      }
    }
  }
  for (const [source, patch] of overlay.out) {
    for (const [target, relationship] of patch)
      if (relationship) builder.addRelationship(relationship.id, source, target, relationship.facts);
  }
}

/** Two ordered lists into one: names need no sorting again. */
function mergedOrder(base: Base, overlay: Overlay): Uint32Array {
  const fresh = overlay.orderedNodes().filter((node) => !node.isDeleted);
  const order = new Uint32Array(base.idByRank.length - overlay.deleted.size + fresh.length);
  let next = 0;
  let at = 0;
  for (let rank = 0; rank < base.idByRank.length; rank++) {
    for (; next < fresh.length && fresh[next].position <= rank; next++) order[at++] = fresh[next].id;
    const id = base.idByRank[rank];
    if (!overlay.deleted.has(id)) order[at++] = id;
  }
  for (; next < fresh.length; next++) order[at++] = fresh[next].id;
  return order;
}
