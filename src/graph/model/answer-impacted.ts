import { baseNodeTimes } from './base.ts';
import { type Graph, labelOf } from './graph.ts';
import { ascii, COMMA, JsonWriter } from './json-writer.ts';
import { ACTIVE_BIT } from './order.ts';
import type { NodeTimes } from './times.ts';

const START = ascii('{"name":');
const ACTIVE = ascii(',"active":true,"from":');
const INACTIVE = ascii(',"active":false,"from":');
const TO = ascii(',"to":');

/** `[{"name":…,"active":…,"from":…,"to":…}, …]`, §2.4, with `label` where the question named none. */
export function* impactedChunks(graph: Graph, ordered: Uint32Array, withLabel: boolean): Generator<Uint8Array> {
  const out = new JsonWriter();
  const { nextNodeId, nodeLabel, labels } = graph.base;
  const labelPieces = withLabel ? labels.map(labelPiece) : [];
  // The reference is taken once: a change applied while this answer is streamed replaces the map.
  const times = graph.overlay?.times;
  out.byte(0x5b);
  for (let i = 0; i < ordered.length; i++) {
    const id = (ordered[i] & ~ACTIVE_BIT) >>> 0;
    if (i > 0) out.byte(COMMA);
    out.raw(START);
    out.name(graph, id);
    if (withLabel) out.raw(id < nextNodeId ? labelPieces[nodeLabel[id]] : labelPiece(labelOf(graph, id)));
    out.raw((ordered[i] & ACTIVE_BIT) === 0 ? INACTIVE : ACTIVE);
    const own = times?.get(id) ?? ownTimes(graph, id);
    out.numberOrNull(own.from);
    out.raw(TO);
    out.numberOrNull(own.to);
    out.byte(0x7d);
    if (out.isFull) yield out.take();
  }
  out.byte(0x5d);
  yield out.finish();
}

function labelPiece(label: string): Uint8Array {
  return ascii(`,"label":"${label}"`);
}

/** As the base or the node's creation had them. */
function ownTimes({ base, overlay }: Graph, id: number): NodeTimes {
  return overlay && id >= base.nextNodeId ? overlay.addedNode(id).times : baseNodeTimes(base, id);
}
