import { type Direction, type Graph, labelOf, listNeighbours, type Neighbour, timesOf } from './graph.ts';
import { ascii, COMMA, JsonWriter } from './json-writer.ts';
import { areBothActiveWithin } from './times.ts';

export type NodeQuestion = {
  /** First and last second of the day that is looked at. */
  dayFrom: number;
  dayTo: number;
  inactive: boolean;
  impacted: boolean;
  onlyLabels?: string[];
  alone: boolean;
};

type Shown = Neighbour & { label: string; isOld: boolean };

/** A node with its direct neighbours, §2.3: its own label comes first, the others in order, names in order. */
export function* nodeChunks(graph: Graph, node: number, question: NodeQuestion): Generator<Uint8Array> {
  const out = new JsonWriter();
  const times = timesOf(graph, node);
  out.raw(ascii('{"name":'));
  out.name(graph, node);
  if (times.from !== null) writeTime(out, ',"from":', times.from);
  if (times.to !== null) writeTime(out, ',"to":', times.to);
  if (!question.alone) {
    const direction: Direction = question.impacted ? 'in' : 'out';
    const shown = listShown(graph, node, direction, question);
    yield* writeDependencies(graph, out, node, shown);
    yield* writeGraph(graph, out, node, direction, shown);
  }
  out.byte(0x7d);
  yield out.finish();
}

function listShown(graph: Graph, node: number, direction: Direction, question: NodeQuestion): Shown[] {
  const onlyLabels = question.onlyLabels && new Set(question.onlyLabels);
  const shown: Shown[] = [];
  for (const neighbour of listNeighbours(graph, node, direction)) {
    const label = labelOf(graph, neighbour.node);
    if (onlyLabels && !onlyLabels.has(label)) continue;
    const times = timesOf(graph, neighbour.node);
    const isOld = !areBothActiveWithin(times, neighbour.periods, question.dayFrom, question.dayTo);
    if (!isOld || question.inactive) shown.push({ ...neighbour, label, isOld });
  }
  return sortByLabelAndName(graph, labelOf(graph, node), shown);
}

function* writeDependencies(graph: Graph, out: JsonWriter, node: number, shown: Shown[]): Generator<Uint8Array> {
  let label = labelOf(graph, node);
  out.raw(ascii(`,"dependencies":{"${label}":[{"name":`));
  out.name(graph, node);
  out.byte(0x7d);
  let isFirst = false;
  for (const neighbour of shown) {
    if (neighbour.label !== label) {
      label = neighbour.label;
      out.raw(ascii(`],"${label}":[`));
      isFirst = true;
    }
    if (!isFirst) out.byte(COMMA);
    isFirst = false;
    out.raw(NAME);
    out.name(graph, neighbour.node);
    out.raw(neighbour.isOld ? OLD : NOT_OLD);
    out.numbers(neighbour.periods);
    out.byte(0x7d);
    if (out.isFull) yield out.take();
  }
  out.raw(ascii(']}'));
}

function* writeGraph(
  graph: Graph,
  out: JsonWriter,
  node: number,
  direction: Direction,
  shown: Shown[],
): Generator<Uint8Array> {
  out.raw(ascii(',"graph":{"nodes":['));
  writeGraphNode(graph, out, node, labelOf(graph, node));
  for (const neighbour of shown) {
    if (neighbour.node === node) continue;
    out.byte(COMMA);
    writeGraphNode(graph, out, neighbour.node, neighbour.label);
    if (out.isFull) yield out.take();
  }
  out.raw(ascii('],"relationships":['));
  let isFirst = true;
  for (const { node: other, relationship, periods } of shown) {
    if (!isFirst) out.byte(COMMA);
    isFirst = false;
    const [from, to] = direction === 'out' ? [node, other] : [other, node];
    out.raw(ascii(`{"id":${relationship},"from":${from},"to":${to},"arrows":"to","periods":`));
    out.numbers(periods);
    out.byte(0x7d);
    if (out.isFull) yield out.take();
  }
  out.raw(ascii(']}'));
}

function writeGraphNode(graph: Graph, out: JsonWriter, id: number, label: string): void {
  out.raw(ascii(`{"id":${id},"label":`));
  out.name(graph, id);
  out.raw(ascii(`,"title":"${label}"}`));
}

function writeTime(out: JsonWriter, key: string, time: number): void {
  out.raw(ascii(key));
  out.number(time);
}

/** Ranks give the order within a label; a node of the overlay has a position between two ranks. */
function sortByLabelAndName(graph: Graph, ownLabel: string, shown: Shown[]): Shown[] {
  const { base, overlay } = graph;
  overlay?.orderedNodes();
  const keyed = shown.map((neighbour) => {
    const added = overlay && neighbour.node >= base.nextNodeId ? overlay.addedNode(neighbour.node) : undefined;
    return added
      ? { neighbour, rank: added.position - 0.5, order: added.order }
      : { neighbour, rank: base.rank[neighbour.node], order: 0 };
  });
  return keyed
    .toSorted((a, b) => {
      if (a.neighbour.label !== b.neighbour.label) {
        if (a.neighbour.label === ownLabel) return -1;
        if (b.neighbour.label === ownLabel) return 1;
        return a.neighbour.label < b.neighbour.label ? -1 : 1;
      }
      return a.rank - b.rank || a.order - b.order;
    })
    .map(({ neighbour }) => neighbour);
}

const NAME = ascii('{"name":');
const OLD = ascii(',"old":true,"periods":');
const NOT_OLD = ascii(',"old":false,"periods":');
