import { ByteWriter } from './change-bytes.ts';
import { writeChangeHead, writeRelationship, writeTimes } from './change-codec.ts';
import { factsLiteral, RowWriter } from './copy-writer.ts';
import type { GrowableU32 } from './growable.ts';
import type { BatchTally } from './prepare.ts';
import type { Recent } from './recent.ts';

/** What the database has to do for one batch, and what to tell the client. */
export type Prepared = BatchTally & {
  /** The version the batch builds on: the transaction must find exactly this one, or roll back and prepare again. */
  basedOn: number;
  /** The version it leads to; the same as `basedOn` when nothing changed, and then there is no payload. */
  version: number;
  nextNodeId: number;
  nextRelationshipId: number;
  /** Binary COPY streams, see `nodeRows` and `relationshipRows` for their columns. */
  newNodes: { count: number; rows: Uint8Array<ArrayBuffer> } | undefined;
  newRelationships: { count: number; rows: Uint8Array<ArrayBuffer> } | undefined;
  /** Columns for `update … from unnest(…)`; facts are array literals. */
  changedNodes: { ids: number[]; from: Array<number | null>; to: Array<number | null> };
  changedRelationships: { ids: number[]; facts: string[] };
  deletedRelationships: number[];
  deletedNodes: number[];
  /** For the change log; in shared memory. */
  payload: Uint8Array | undefined;
};

/** The batch that `recent` has just taken, written as bytes straight from its columns. */
export function toPrepared(teamId: string, recent: Recent, tally: BatchTally): Prepared {
  const basedOn = recent.version;
  const { nodes, relationships, addedNodes, addedRelationships, deletedNodes, deletedRelationships } = recent;
  const changedNodes = listRows(recent.changedNodes);
  // Less and less was left of a relationship until nothing was: that is deleted, not changed.
  const changed = listRows(recent.changedRelationships).filter((row) => relationships.isDeleted[row] === 0);
  const size =
    addedNodes.length +
    changedNodes.length +
    deletedNodes.length +
    addedRelationships.length +
    changed.length +
    deletedRelationships.length;
  const version = size === 0 ? basedOn : basedOn + 1;
  return {
    ...tally,
    basedOn,
    version,
    nextNodeId: recent.nextNodeId,
    nextRelationshipId: recent.nextRelationshipId,
    newNodes: addedNodes.length === 0 ? undefined : { count: addedNodes.length, rows: copyNodes(teamId, recent) },
    newRelationships:
      addedRelationships.length === 0
        ? undefined
        : { count: addedRelationships.length, rows: copyRelationships(teamId, recent) },
    changedNodes: {
      ids: changedNodes.map((row) => nodes.id[row]),
      from: changedNodes.map((row) => orNull(nodes.from[row])),
      to: changedNodes.map((row) => orNull(nodes.to[row])),
    },
    changedRelationships: {
      ids: changed.map((row) => relationships.id[row]),
      facts: changed.map((row) => factsLiteral(relationships.factsOf(row))),
    },
    deletedRelationships: deletedRelationships.map(({ id }) => id),
    deletedNodes,
    payload: size === 0 ? undefined : writePayload(recent, version, size, changedNodes, changed),
  };
}

function copyNodes(teamId: string, { nodes, labels, addedNodes }: Recent): Uint8Array<ArrayBuffer> {
  const out = new RowWriter(teamId, addedNodes.length * 96);
  for (let i = 0; i < addedNodes.length; i++) {
    const row = addedNodes.values[i];
    const label = labels.bytes[nodes.label[row]];
    out.row(5);
    out.int4(nodes.id[row]);
    out.bytes(label, 0, label.length);
    out.bytes(nodes.names.bytes, nodes.nameStart[row], nodes.nameStart[row + 1]);
    out.int8OrNull(nodes.from[row]);
    out.int8OrNull(nodes.to[row]);
  }
  return out.finish();
}

function copyRelationships(teamId: string, { relationships, addedRelationships }: Recent): Uint8Array<ArrayBuffer> {
  const { id, source, target, factCount, fact0 } = relationships;
  const out = new RowWriter(teamId, addedRelationships.length * 84);
  for (let i = 0; i < addedRelationships.length; i++) {
    const row = addedRelationships.values[i];
    out.row(4);
    out.int4(id[row]);
    out.int4(source[row]);
    out.int4(target[row]);
    out.beginInt8Array(factCount[row]);
    if (factCount[row] === 1) out.int8(fact0[row]);
    else for (const fact of relationships.factsOf(row)) out.int8(fact);
  }
  return out.finish();
}

function writePayload(recent: Recent, version: number, size: number, changedNodes: number[], changed: number[]) {
  const { nodes, relationships, labels, addedNodes, addedRelationships, deletedNodes, deletedRelationships } = recent;
  const out = new ByteWriter();
  const used = new Map<number, number>();
  for (let i = 0; i < addedNodes.length; i++) {
    const label = nodes.label[addedNodes.values[i]];
    if (!used.has(label)) used.set(label, used.size);
  }
  const { nextNodeId, nextRelationshipId } = recent;
  writeChangeHead(
    out,
    { version, size, nextNodeId, nextRelationshipId },
    [...used.keys()].map((id) => labels.labels[id]),
  );
  out.unsigned(addedNodes.length);
  for (let i = 0; i < addedNodes.length; i++) {
    const row = addedNodes.values[i];
    out.unsigned(nodes.id[row]);
    out.unsigned(used.get(nodes.label[row]) ?? 0);
    out.bytes(nodes.names.bytes, nodes.nameStart[row], nodes.nameStart[row + 1]);
    writeTimes(out, nodes.from[row], nodes.to[row]);
  }
  out.unsigned(changedNodes.length);
  for (const row of changedNodes) {
    out.unsigned(nodes.id[row]);
    writeTimes(out, nodes.from[row], nodes.to[row]);
  }
  out.unsigned(deletedNodes.length);
  for (const id of deletedNodes) out.unsigned(id);
  out.unsigned(addedRelationships.length + changed.length);
  const { id, source, target } = relationships;
  for (let i = 0; i < addedRelationships.length; i++) {
    const row = addedRelationships.values[i];
    writeRelationship(out, id[row], source[row], target[row], relationships.factsOf(row));
  }
  for (const row of changed) writeRelationship(out, id[row], source[row], target[row], relationships.factsOf(row));
  out.unsigned(deletedRelationships.length);
  for (const pair of deletedRelationships) {
    out.unsigned(pair.id);
    out.unsigned(pair.source);
    out.unsigned(pair.target);
  }
  return out.finishShared();
}

function listRows(rows: GrowableU32): number[] {
  return Array.from(rows.view());
}

function orNull(time: number): number | null {
  return Number.isNaN(time) ? null : time;
}
