import { type Facts, relsOf } from '../periods.ts';
import { baseFacts, EXISTS } from './base.ts';
import { type Graph, labelOf, timesOf } from './graph.ts';
import { ascii, JsonWriter } from './json-writer.ts';

/**
 * The whole graph as the messages that would make it again, one JSON object a line: every node with its properties,
 * then every fact of every relationship. Reads the graph while it is written: see `exportedIds` for what is fixed first.
 */
export function* exportChunks(graph: Graph): Generator<Uint8Array> {
  const out = new JsonWriter();
  const { base } = graph;
  const relationships = changedRelationships(graph);
  const ids = exportedIds(graph);
  const times = ids.changed;
  for (const id of ids.all) {
    const { from, to } = times.get(id) ?? timesOf(graph, id);
    out.raw(SOURCE);
    writeNode(graph, out, id);
    if (from !== null || to !== null) {
      out.raw(PROPS);
      if (from !== null) writePair(out, '"from":', from);
      if (from !== null && to !== null) out.byte(0x2c);
      if (to !== null) writePair(out, '"to":', to);
      out.byte(0x7d);
    }
    out.raw(END);
    if (out.isFull) yield out.take();
  }
  for (const source of ids.all) {
    if (source >= base.nextNodeId) continue;
    for (let at = base.outStart[source]; at < base.outStart[source + 1]; at++) {
      const target = base.outNode[at];
      if (relationships.get(source)?.has(target)) continue;
      const facts = baseFacts(base, base.outId[at], base.outFrom[at], base.outTo[at]);
      yield* writeRelationship(graph, out, source, target, facts);
    }
  }
  for (const [source, patch] of relationships)
    for (const [target, facts] of patch) if (facts) yield* writeRelationship(graph, out, source, target, facts);
  yield out.finish();
}

/** Taken before the first chunk, so that a change which comes while this is streamed does not show. */
function exportedIds({ base, overlay }: Graph) {
  const all: number[] = [];
  for (let id = 0; id < base.nextNodeId; id++)
    if ((base.nodeFlags[id] & EXISTS) !== 0 && !overlay?.deleted.has(id)) all.push(id);
  for (const node of overlay?.added ?? []) if (node && !node.isDeleted) all.push(node.id);
  return { all, changed: new Map(overlay?.times) };
}

function changedRelationships({ overlay }: Graph): Map<number, Map<number, Facts | null>> {
  const changed = new Map<number, Map<number, Facts | null>>();
  for (const [source, patch] of overlay?.out ?? []) {
    const targets = new Map<number, Facts | null>();
    for (const [target, relationship] of patch) targets.set(target, relationship && relationship.facts);
    changed.set(source, targets);
  }
  return changed;
}

function* writeRelationship(
  graph: Graph,
  out: JsonWriter,
  source: number,
  target: number,
  facts: Facts,
): Generator<Uint8Array> {
  for (const rel of relsOf(facts)) {
    out.raw(SOURCE);
    writeNode(graph, out, source);
    out.raw(TARGET);
    writeNode(graph, out, target);
    out.raw(rel ? ascii(`},"rel":${JSON.stringify(rel)}}\n`) : END);
    if (out.isFull) yield out.take();
  }
}

function writeNode(graph: Graph, out: JsonWriter, id: number): void {
  out.raw(ascii(`"label":"${labelOf(graph, id)}","name":`));
  out.name(graph, id);
}

function writePair(out: JsonWriter, key: string, value: number): void {
  out.raw(ascii(key));
  out.number(value);
}

const SOURCE = ascii('{"source":{');
const TARGET = ascii('},"target":{');
const PROPS = ascii(',"props":{');
const END = ascii('}}\n');
