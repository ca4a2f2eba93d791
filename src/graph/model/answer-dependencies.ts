import type { Periods } from '../periods.ts';
import { basePeriods, EXISTS, findLabelId } from './base.ts';
import { encodeTable } from './dependency-table.ts';
import { type Graph, labelOf, listNeighbours, nameBytesOf, timesOf } from './graph.ts';
import { GrowableBytes, GrowableU32 } from './growable.ts';
import { TOUCHED_NODE, TOUCHED_OUT } from './overlay.ts';
import { areBothActiveWithin, ELSEWHERE, OPEN } from './times.ts';

export type DependenciesQuestion = {
  label: string;
  /** Labels of the dependencies that are wanted. */
  dependencyLabels: string[];
  /** Nodes with `fromNode` ≤ id < `toNode`. */
  fromNode: number;
  toNode?: number;
  /** First and last second of the day. The last one is its end and has no length; a node that is active in it alone still is one of the day. */
  dayFrom: number;
  dayTo: number;
  /** A dependency that is active at some second of the day counts all day. */
  wholeDay: boolean;
  withNames: boolean;
};

export type ChunksQuestion = { label: string; every: number };

/** Ids or relationships looked at before others are let in. */
const SLICE = 65_536;

/** The question's `DependencyTable` as bytes; nodes that are not active on that day are left out. */
export function* dependencyTableChunks(
  graph: Graph,
  question: DependenciesQuestion,
): Generator<Uint8Array | undefined> {
  const rows = new TableRows(graph, question);
  const { dayFrom, dayTo } = question;
  let before = 0;
  for (const id of idsOfLabel(graph, question.label, question.fromNode, question.toNode)) {
    if (id === undefined) {
      yield undefined;
      continue;
    }
    if (!areBothActiveWithin(timesOf(graph, id), ALWAYS, dayFrom, dayTo)) continue;
    rows.add(id);
    if (rows.looked - before < SLICE) continue;
    before = rows.looked;
    yield undefined;
  }
  yield rows.finish();
}

/**
 * Where to cut the label's nodes, in the order of ids, so that pieces have `every` nodes and the last one the rest: the first id of each piece.
 * The first is 0, and no label without nodes has one.
 */
export function* cutLabel(graph: Graph, { label, every }: ChunksQuestion): Generator<undefined, number[]> {
  const starts: number[] = [];
  let count = 0;
  for (const id of idsOfLabel(graph, label, 0, undefined)) {
    if (id === undefined) yield undefined;
    else if (count++ % every === 0) starts.push(starts.length === 0 ? 0 : id);
  }
  return starts;
}

/** Ids in order; undefined is a good moment to let others in. */
function* idsOfLabel(
  { base, overlay }: Graph,
  label: string,
  from: number,
  to: number | undefined,
): Generator<number | undefined> {
  const labelId = findLabelId(base, label);
  const end = Math.min(to ?? Infinity, overlay?.nextNodeId ?? base.nextNodeId);
  for (let id = from; id < end; id++) {
    if (id % SLICE === 0) yield undefined;
    if (id >= base.nextNodeId) {
      const added = overlay?.addedNode(id);
      if (added && !added.isDeleted && added.label === label) yield id;
    } else if (base.nodeLabel[id] === labelId && (base.nodeFlags[id] & EXISTS) !== 0 && !overlay?.deleted.has(id)) {
      yield id;
    }
  }
}

class TableRows {
  readonly #graph: Graph;
  readonly #question: DependenciesQuestion;
  readonly #wanted: Set<string>;
  readonly #isWanted: Uint8Array;
  readonly #nodes = new GrowableU32();
  readonly #rowStart = new GrowableU32();
  readonly #dependency = new GrowableU32();
  readonly #from = new GrowableU32();
  readonly #to = new GrowableU32();
  readonly #nameStart = new GrowableU32();
  readonly #names = new GrowableBytes();
  /** How much there was to do so far. */
  looked = 0;

  constructor(graph: Graph, question: DependenciesQuestion) {
    this.#graph = graph;
    this.#question = question;
    this.#wanted = new Set(question.dependencyLabels);
    this.#isWanted = Uint8Array.from(graph.base.labels, (label) => Number(this.#wanted.has(label)));
  }

  add(id: number): void {
    this.#nodes.push(id);
    this.#rowStart.push(this.#dependency.length);
    if (this.#question.withNames) {
      const name = nameBytesOf(this.#graph, id);
      this.#nameStart.push(this.#names.length);
      this.#names.append(name, 0, name.length);
    }
    this.looked++;
    if (this.#wanted.size === 0) return;
    const { base, overlay } = this.#graph;
    if (id < base.nextNodeId && (overlay === undefined || (overlay.touched[id] & TOUCHED_OUT) === 0))
      this.#addOfBase(id);
    else this.#addOverlaid(id);
  }

  finish(): Uint8Array {
    this.#rowStart.push(this.#dependency.length);
    if (this.#question.withNames) this.#nameStart.push(this.#names.length);
    return encodeTable({
      nodes: this.#nodes.view(),
      rowStart: this.#rowStart.view(),
      dependency: this.#dependency.view(),
      from: this.#from.view(),
      to: this.#to.view(),
      nameStart: this.#nameStart.view(),
      nameBytes: this.#names.view(),
    });
  }

  /** Almost all rows: read from the arrays, without an object for a relationship. */
  #addOfBase(id: number): void {
    const { base, overlay } = this.#graph;
    const { outStart, outNode, outFrom, outTo, nodeLabel, nodeFrom, nodeTo } = base;
    for (let i = outStart[id]; i < outStart[id + 1]; i++) {
      const node = outNode[i];
      this.looked++;
      if (this.#isWanted[nodeLabel[node]] === 0) continue;
      const isTouched = overlay !== undefined && (overlay.touched[node] & TOUCHED_NODE) !== 0;
      if (outFrom[i] === ELSEWHERE || nodeFrom[node] === ELSEWHERE || isTouched) {
        this.#addPeriods(node, basePeriods(base, outFrom[i], outTo[i]));
      } else {
        const from = Math.max(outFrom[i], nodeFrom[node]);
        const to = Math.min(outTo[i], nodeTo[node]);
        this.#addWindow(node, from, to === OPEN ? Infinity : to);
      }
    }
  }

  #addOverlaid(id: number): void {
    for (const { node, periods } of listNeighbours(this.#graph, id, 'out')) {
      this.looked++;
      if (this.#wanted.has(labelOf(this.#graph, node))) this.#addPeriods(node, periods);
    }
  }

  #addPeriods(node: number, periods: Periods): void {
    const times = timesOf(this.#graph, node);
    const [first, last] = [times.from ?? 0, times.to ?? Infinity];
    for (let i = 0; i < Math.max(1, periods.length); i += 2) {
      const isAdded = this.#addWindow(
        node,
        Math.max(first, periods[i] ?? 0),
        Math.min(last, periods[i + 1] ?? Infinity),
      );
      if (isAdded && this.#question.wholeDay) return;
    }
  }

  /** Unix seconds, both included. */
  #addWindow(node: number, from: number, to: number): boolean {
    const { dayFrom, dayTo, wholeDay } = this.#question;
    if (from > to || from > dayTo || to < dayFrom) return false;
    const start = wholeDay ? dayFrom : Math.max(from, dayFrom);
    const end = wholeDay ? dayTo : Math.min(to + 1, dayTo);
    // Active in the last second alone, which has no length.
    if (start >= end) return false;
    this.#dependency.push(node);
    this.#from.push(start - dayFrom);
    this.#to.push(end - dayFrom);
    return true;
  }
}

const ALWAYS: Periods = [];
