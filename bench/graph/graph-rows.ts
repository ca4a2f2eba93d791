import type { Base } from '../../src/graph/model/base.ts';
import { BaseBuilder } from '../../src/graph/model/base-builder.ts';
import type { AddedNode, ChangedRelationship } from '../../src/graph/model/change-codec.ts';
import { factsOf, type Rel } from '../../src/graph/periods.ts';
import { FOREVER, type LayeredGraph, nameOf } from './layered-graph.ts';

const rowsPerPortion = 50_000;

/** The rows that the database would hold, in portions. */
export function* nodePortions(graph: LayeredGraph): Generator<AddedNode[]> {
  for (const [start, length] of portions(graph.nodeLabel.length)) {
    yield Array.from({ length }, (_, i) => nodeRow(graph, start + i));
  }
}

export function* relationshipPortions(graph: LayeredGraph): Generator<ChangedRelationship[]> {
  for (const [start, length] of portions(graph.source.length)) {
    yield Array.from({ length }, (_, i) => relationshipRow(graph, start + i));
  }
}

/** The read model's arrays, as the service would make them from those rows. */
export function toBase(graph: LayeredGraph): Base {
  const builder = new BaseBuilder();
  for (const rows of nodePortions(graph)) {
    for (const { id, label, name, from, to } of rows) {
      const bytes = Buffer.from(name);
      builder.addNode(id, builder.labelId(label), bytes, 0, bytes.length, from, to);
    }
  }
  for (const rows of relationshipPortions(graph)) {
    for (const { id, source, target, facts } of rows) builder.addRelationship(id, source, target, facts);
  }
  const numbers = { nextNodeId: graph.nodeLabel.length, nextRelationshipId: graph.source.length };
  return builder.finish({ version: 1, ...numbers });
}

/** What a message says about the time of a relationship. */
export function relOf(graph: LayeredGraph, edge: number): Rel {
  const [from, to] = [graph.from[edge], graph.to[edge]];
  return to === FOREVER ? { from } : { from, to };
}

function nodeRow(graph: LayeredGraph, id: number): AddedNode {
  const to = graph.nodeTo[id];
  return {
    id,
    label: graph.labels[graph.nodeLabel[id]],
    name: nameOf(graph, id),
    from: graph.nodeFrom[id],
    to: to === FOREVER ? null : to,
  };
}

function relationshipRow(graph: LayeredGraph, edge: number): ChangedRelationship {
  return {
    id: edge,
    source: graph.source[edge],
    target: graph.target[edge],
    facts: factsOf(relOf(graph, edge)),
  };
}

function* portions(count: number): Generator<[start: number, length: number]> {
  for (let start = 0; start < count; start += rowsPerPortion) yield [start, Math.min(rowsPerPortion, count - start)];
}
