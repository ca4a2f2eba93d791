import type { RowSource } from '../builder-thread.ts';
import type { AddedNode, ChangedRelationship } from '../change-codec.ts';
import { nodeRows, relationshipRows } from '../copy-writer.ts';

/** Rows as a database would send them, cut into pieces at awkward places. */
export function rowSource(version: number, nodes: AddedNode[], relationships: ChangedRelationship[]): RowSource {
  return {
    version,
    nextNodeId: nextId(nodes),
    nextRelationshipId: nextId(relationships),
    nodes: pieces(nodeRows(undefined, nodes)),
    relationships: pieces(relationshipRows(undefined, relationships)),
  };
}

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0, size = 1; at < bytes.length; at += size, size = (size * 2) % 4093)
    yield bytes.subarray(at, at + size);
}

function nextId(rows: Array<{ id: number }>): number {
  return rows.reduce((next, { id }) => Math.max(next, id + 1), 0);
}
