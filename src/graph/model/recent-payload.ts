import type { ByteReader } from './change-bytes.ts';
import { openPayload, readTimes } from './change-codec.ts';
import { hashName } from './name-bytes.ts';
import type { Recent } from './recent.ts';

/** Brings in a change that was made before, here or elsewhere, without making objects of it. */
export function applyPayload(recent: Recent, payload: Uint8Array): void {
  const read = openPayload(payload);
  const version = read.unsigned();
  if (version !== recent.version + 1)
    throw new Error(`change to version ${version} does not follow version ${recent.version}`);
  read.unsigned(); // its size
  const nextNodeId = read.unsigned();
  const nextRelationshipId = read.unsigned();
  addNodes(recent, read);
  changeNodes(recent, read);
  setRelationships(recent, read);
  for (let left = read.unsigned(); left > 0; left--) {
    read.unsigned(); // its id
    const source = read.unsigned();
    recent.relationships.isDeleted[recent.rowOfPair(source, read.unsigned())] = 1;
  }
  recent.version = version;
  recent.nextNodeId = nextNodeId;
  recent.nextRelationshipId = nextRelationshipId;
}

function addNodes(recent: Recent, read: ByteReader): void {
  const { nodes } = recent;
  const labels = read.list(() => recent.labels.ensure(read.text()));
  for (let left = read.unsigned(); left > 0; left--) {
    const id = read.unsigned();
    const label = labels[read.unsigned()];
    const start = read.skipText();
    const end = read.at;
    const hash = hashName(read.bytes, start, end, label) | 0;
    let row = nodes.find(label, hash, read.bytes, start, end);
    if (row < 0) row = nodes.add(id, label, hash, read.bytes, start, end);
    nodes.id[row] = id;
    nodes.isDeleted[row] = 0;
    const { from, to } = readTimes(read);
    recent.setTimes(row, from, to);
  }
}

/** Here a node is known by its id alone. */
function changeNodes(recent: Recent, read: ByteReader): void {
  const { nodes, base } = recent;
  let rows: Map<number, number> | undefined;
  const rowOf = (id: number): number => {
    if (!rows) {
      rows = new Map();
      for (let row = 0; row < nodes.count; row++) rows.set(nodes.id[row], row);
    }
    let row = rows.get(id);
    if (row !== undefined) return row;
    if (id >= base.nextNodeId) throw new Error('a graph change names a node that is not there');
    const start = base.nameStart[id];
    const end = base.nameStart[id + 1];
    const label = base.nodeLabel[id];
    row = nodes.addOfBase(id, label, hashName(base.names, start, end, label) | 0, base.names, start, end);
    rows.set(id, row);
    return row;
  };
  for (let left = read.unsigned(); left > 0; left--) {
    const row = rowOf(read.unsigned());
    const { from, to } = readTimes(read);
    recent.setTimes(row, from, to);
  }
  for (let left = read.unsigned(); left > 0; left--) nodes.isDeleted[rowOf(read.unsigned())] = 1;
}

function setRelationships({ relationships }: Recent, read: ByteReader): void {
  for (let left = read.unsigned(); left > 0; left--) {
    const id = read.unsigned();
    const source = read.unsigned();
    const target = read.unsigned();
    let row = relationships.find(source, target);
    if (row < 0) row = relationships.add(id, source, target);
    relationships.id[row] = id;
    relationships.isDeleted[row] = 0;
    const count = read.unsigned();
    if (count === 1) relationships.setInlineFacts(row, 1, read.signed(), 0);
    else
      relationships.setFacts(
        row,
        Array.from({ length: count }, () => read.signed()),
      );
  }
}
