import { type AddedNode, type ChangedNode, type ChangedRelationship, encodeChange } from './change-codec.ts';
import { factsLiteral, nodeRows, relationshipRows } from './copy-writer.ts';
import type { BatchTally } from './prepare.ts';
import type { Staging } from './staging.ts';

/** What the database has to do for one batch, and what to tell the client. */
export type Prepared = BatchTally & {
  /** The version the batch builds on: the transaction must find exactly this one, or roll back and prepare again. */
  basedOn: number;
  /** The version it leads to; the same as `basedOn` when nothing changed, and then there is no payload. */
  version: number;
  nextNodeId: number;
  nextRelationshipId: number;
  /** Binary COPY streams, see `nodeRows` and `relationshipRows` for their columns. */
  newNodes: { count: number; rows: Uint8Array } | undefined;
  newRelationships: { count: number; rows: Uint8Array } | undefined;
  /** Columns for `update … from unnest(…)`; facts are array literals. */
  changedNodes: { ids: number[]; from: Array<number | null>; to: Array<number | null> };
  changedRelationships: { ids: number[]; facts: string[] };
  deletedRelationships: number[];
  deletedNodes: number[];
  /** For the change log. */
  payload: Uint8Array | undefined;
};

export function toPrepared(teamId: string, staging: Staging, tally: BatchTally, deletedNodes: number[]): Prepared {
  const addedNodes: AddedNode[] = [];
  const changedNodes: ChangedNode[] = [];
  for (const names of staging.nodes.values()) {
    for (const node of names.values()) {
      if (node?.isNew) addedNodes.push(node);
      else if (node?.isChanged) changedNodes.push(node);
    }
  }
  const added: ChangedRelationship[] = [];
  const changed: ChangedRelationship[] = [];
  for (const relationship of staging.relationships.values()) {
    if (relationship?.isNew) added.push(relationship);
    else if (relationship?.isChanged) changed.push(relationship);
  }
  const { deleted } = staging;
  const isUnchanged =
    addedNodes.length + changedNodes.length + added.length + changed.length + deleted.length + deletedNodes.length ===
    0;
  const version = isUnchanged ? staging.basedOn : staging.basedOn + 1;
  const { nextNodeId, nextRelationshipId } = staging;
  const payload = isUnchanged
    ? undefined
    : encodeChange({
        version,
        nextNodeId,
        nextRelationshipId,
        addedNodes,
        changedNodes,
        deletedNodes,
        relationships: added.concat(changed),
        deletedRelationships: deleted,
      });
  return {
    ...tally,
    basedOn: staging.basedOn,
    version,
    nextNodeId,
    nextRelationshipId,
    newNodes: addedNodes.length === 0 ? undefined : { count: addedNodes.length, rows: nodeRows(teamId, addedNodes) },
    newRelationships: added.length === 0 ? undefined : { count: added.length, rows: relationshipRows(teamId, added) },
    changedNodes: {
      ids: changedNodes.map(({ id }) => id),
      from: changedNodes.map(({ from }) => from),
      to: changedNodes.map(({ to }) => to),
    },
    changedRelationships: {
      ids: changed.map(({ id }) => id),
      facts: changed.map(({ facts }) => factsLiteral(facts)),
    },
    deletedRelationships: deleted.map(({ id }) => id),
    deletedNodes,
    payload,
  };
}
