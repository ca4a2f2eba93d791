import type { Facts } from '../periods.ts';
import { ByteReader, ByteWriter } from './change-bytes.ts';

/** What one committed batch changed: the payload of the change log, applied by every thread of every process. */
export type Change = {
  /** The version this change leads to, from the one before it. */
  version: number;
  nextNodeId: number;
  nextRelationshipId: number;
  addedNodes: AddedNode[];
  changedNodes: ChangedNode[];
  deletedNodes: number[];
  /** Added and changed ones alike: what the relationship is now. */
  relationships: ChangedRelationship[];
  deletedRelationships: DeletedRelationship[];
};

export type AddedNode = { id: number; label: string; name: string; from: number | null; to: number | null };
export type ChangedNode = { id: number; from: number | null; to: number | null };
export type ChangedRelationship = { id: number; source: number; target: number; facts: Facts };
type DeletedRelationship = { id: number; source: number; target: number };

const FORMAT = 1;

export type ChangeHead = { version: number; size: number; nextNodeId: number; nextRelationshipId: number };

/**
 * A payload is this head, then added nodes, changed nodes, deleted nodes, relationships and deleted relationships, each list with its
 * length before it. The writer writes the lists straight from its columns, `encodeChange` from objects.
 */
export function writeChangeHead(out: ByteWriter, head: ChangeHead, labels: string[]): void {
  out.unsigned(FORMAT);
  out.unsigned(head.version);
  out.unsigned(head.size);
  out.unsigned(head.nextNodeId);
  out.unsigned(head.nextRelationshipId);
  out.unsigned(labels.length);
  for (const label of labels) out.text(label);
}

export function writeRelationship(out: ByteWriter, id: number, source: number, target: number, facts: Facts): void {
  out.unsigned(id);
  out.unsigned(source);
  out.unsigned(target);
  out.unsigned(facts.length);
  for (const fact of facts) out.signed(fact);
}

/** Null, or NaN, is 0, a second is one more than itself. */
export function writeTimes(out: ByteWriter, from: number | null, to: number | null): void {
  out.unsigned(from === null || Number.isNaN(from) ? 0 : from + 1);
  out.unsigned(to === null || Number.isNaN(to) ? 0 : to + 1);
}

export function encodeChange(change: Change): Uint8Array {
  const out = new ByteWriter();
  const labels = new Map<string, number>();
  for (const { label } of change.addedNodes) if (!labels.has(label)) labels.set(label, labels.size);
  writeChangeHead(out, { ...change, size: sizeOfChange(change) }, [...labels.keys()]);
  out.unsigned(change.addedNodes.length);
  for (const { id, label, name, from, to } of change.addedNodes) {
    out.unsigned(id);
    out.unsigned(labels.get(label) ?? 0);
    out.text(name);
    writeTimes(out, from, to);
  }
  out.unsigned(change.changedNodes.length);
  for (const { id, from, to } of change.changedNodes) {
    out.unsigned(id);
    writeTimes(out, from, to);
  }
  out.unsigned(change.deletedNodes.length);
  for (const id of change.deletedNodes) out.unsigned(id);
  out.unsigned(change.relationships.length);
  for (const { id, source, target, facts } of change.relationships) writeRelationship(out, id, source, target, facts);
  out.unsigned(change.deletedRelationships.length);
  for (const { id, source, target } of change.deletedRelationships) {
    out.unsigned(id);
    out.unsigned(source);
    out.unsigned(target);
  }
  return out.finishShared();
}

/** Without decoding the rest: whether a payload is next, old or ahead, and how much an overlay grows by it. */
export function peekChange(payload: Uint8Array): { version: number; size: number } {
  const read = openPayload(payload);
  return { version: read.unsigned(), size: read.unsigned() };
}

export function decodeChange(payload: Uint8Array): Change {
  const read = openPayload(payload);
  const version = read.unsigned();
  read.unsigned();
  const nextNodeId = read.unsigned();
  const nextRelationshipId = read.unsigned();
  const labels = read.list(() => read.text());
  return {
    version,
    nextNodeId,
    nextRelationshipId,
    addedNodes: read.list(() => ({
      id: read.unsigned(),
      label: labels[read.unsigned()],
      name: read.text(),
      ...readTimes(read),
    })),
    changedNodes: read.list(() => ({ id: read.unsigned(), ...readTimes(read) })),
    deletedNodes: read.list(() => read.unsigned()),
    relationships: read.list(() => ({
      id: read.unsigned(),
      source: read.unsigned(),
      target: read.unsigned(),
      facts: read.list(() => read.signed()),
    })),
    deletedRelationships: read.list(() => ({
      id: read.unsigned(),
      source: read.unsigned(),
      target: read.unsigned(),
    })),
  };
}

/** The rebuild policy counts in these. */
function sizeOfChange(change: Change): number {
  return (
    change.addedNodes.length +
    change.changedNodes.length +
    change.deletedNodes.length +
    change.relationships.length +
    change.deletedRelationships.length
  );
}

export function openPayload(payload: Uint8Array): ByteReader {
  const read = new ByteReader(payload);
  const format = read.unsigned();
  if (format !== FORMAT) throw new Error(`unknown format ${format} of a graph change`);
  return read;
}

export function readTimes(read: ByteReader): { from: number | null; to: number | null } {
  const from = read.unsigned();
  const to = read.unsigned();
  return { from: from === 0 ? null : from - 1, to: to === 0 ? null : to - 1 };
}
