import type { Facts } from '../periods.ts';
import { type Base, EXISTS, HAS_FROM, NEEDS_ESCAPE } from './base.ts';
import { buildAdjacency } from './base-adjacency.ts';
import { buildNameIndex } from './base-names.ts';
import { GrowableBytes, GrowableF64, GrowableU32 } from './growable.ts';
import { needsEscape } from './name-bytes.ts';
import { sharedF64, sharedU8, sharedU32, toSharedF64 } from './shared-arrays.ts';
import { ELSEWHERE, OPEN, relationshipTimes } from './times.ts';

export type BaseNumbers = { version: number; nextNodeId: number; nextRelationshipId: number };

/** Of a graph to which nothing was ever written. */
export const emptyBase = (): Base => new BaseBuilder().finish({ version: 0, nextNodeId: 0, nextRelationshipId: 0 });

/** Collects rows in any order, column by column, and turns them into a base. */
export class BaseBuilder {
  readonly labels: string[] = [];
  readonly nodeIds = new GrowableU32();
  readonly nodeLabels = new GrowableU32();
  readonly nodeFrom = new GrowableU32();
  readonly nodeTo = new GrowableU32();
  readonly hasFrom = new GrowableU32();
  readonly names = new GrowableBytes();
  readonly nameEnds = new GrowableU32();
  readonly wideNodeTimes = new GrowableF64();

  readonly relationshipIds = new GrowableU32();
  readonly sources = new GrowableU32();
  readonly targets = new GrowableU32();
  readonly froms = new GrowableU32();
  readonly tos = new GrowableU32();
  readonly apartIds = new GrowableU32();
  readonly sideRows: Array<{ id: number; facts: Facts; periods: readonly number[]; edge: number }> = [];

  #labelIds = new Map<string, number>();

  labelId(label: string): number {
    let id = this.#labelIds.get(label);
    if (id === undefined) {
      id = this.labels.length;
      this.labels.push(label);
      this.#labelIds.set(label, id);
    }
    return id;
  }

  /** `name` is raw UTF-8 between `start` and `end`. */
  addNode(
    id: number,
    labelId: number,
    name: Uint8Array,
    start: number,
    end: number,
    from: number | null,
    to: number | null,
  ): void {
    this.nodeIds.push(id);
    this.nodeLabels.push(labelId);
    this.names.append(name, start, end);
    if (this.names.length > 0xffffffff) throw new Error('the names of one team exceed 4 GiB');
    this.nameEnds.push(this.names.length);
    this.hasFrom.push(from === null ? 0 : 1);
    if ((from !== null && from >= ELSEWHERE) || (to !== null && to >= OPEN)) {
      this.nodeFrom.push(ELSEWHERE);
      this.nodeTo.push(this.wideNodeTimes.length / 2);
      this.wideNodeTimes.push(from ?? Number.NaN);
      this.wideNodeTimes.push(to ?? Number.NaN);
    } else {
      this.nodeFrom.push(from ?? 0);
      this.nodeTo.push(to ?? OPEN);
    }
  }

  addRelationship(id: number, source: number, target: number, facts: Facts): void {
    if (facts.length === 0) return this.addInline(id, source, target, 0, OPEN, false);
    const first = facts[0];
    if (facts.length === 1 && first > 0 && first < ELSEWHERE)
      return this.addInline(id, source, target, first, OPEN, false);
    if (facts.length === 2) {
      const second = facts[1];
      if (first >= 0 && second < 0 && -second - 1 < OPEN)
        return this.addInline(id, source, target, first, -second - 1, false);
      if (first < 0 && second >= 0 && second <= -first - 1 && -first - 1 < OPEN && -first - 1 !== second)
        return this.addInline(id, source, target, second, -first - 1, true);
    }
    const { from, to, periods } = relationshipTimes(facts);
    this.sideRows.push({ id, facts, periods: from === ELSEWHERE ? periods : [], edge: this.relationshipIds.length });
    this.addInline(id, source, target, from, to, false);
  }

  /** A relationship whose facts follow from its times, see `baseFacts`. */
  addInline(id: number, source: number, target: number, from: number, to: number, isApart: boolean): void {
    this.relationshipIds.push(id);
    this.sources.push(source);
    this.targets.push(target);
    this.froms.push(from);
    this.tos.push(to);
    if (isApart) this.apartIds.push(id);
  }

  /** `sorted` may bring ids that are already in (name, label) order, so that a rebuild need not sort again. */
  finish(numbers: BaseNumbers, sorted?: Uint32Array): Base {
    const nodes = this.#placeNodes(numbers.nextNodeId);
    const side = this.#placeSideRows(numbers.nextRelationshipId);
    const index = buildNameIndex(this.labels, nodes, this.nodeIds.view(), sorted);
    const adjacency = buildAdjacency(nodes.nodeLabel.length, {
      ids: this.relationshipIds.view(),
      sources: this.sources.view(),
      targets: this.targets.view(),
      froms: this.froms.view(),
      tos: this.tos.view(),
    });
    return {
      ...numbers,
      nodeCount: this.nodeIds.length,
      relationshipCount: this.relationshipIds.length,
      labels: this.labels,
      ...nodes,
      wideNodeTimes: toSharedF64(this.wideNodeTimes.view()),
      ...index,
      ...adjacency,
      ...side,
    };
  }

  /** Rows arrive in any order; the arrays are in id order. */
  #placeNodes(slots: number) {
    const count = this.nodeIds.length;
    const ids = this.nodeIds.values;
    const ends = this.nameEnds.values;
    const nameStart = sharedU32(slots + 1);
    const nodeLabel = sharedU32(slots);
    const nodeFlags = sharedU8(slots);
    const nodeFrom = sharedU32(slots);
    const nodeTo = sharedU32(slots);
    for (let row = 0; row < count; row++) {
      if (ids[row] >= slots) throw new Error(`node id ${ids[row]} is not below the next id ${slots}`);
      nameStart[ids[row] + 1] = ends[row] - (row === 0 ? 0 : ends[row - 1]);
    }
    for (let id = 0; id < slots; id++) nameStart[id + 1] += nameStart[id];
    const names = sharedU8(this.names.length);
    for (let row = 0; row < count; row++) {
      const id = ids[row];
      const start = row === 0 ? 0 : ends[row - 1];
      const end = ends[row];
      for (let i = start, at = nameStart[id]; i < end; i++, at++) names[at] = this.names.bytes[i];
      nodeLabel[id] = this.nodeLabels.values[row];
      nodeFrom[id] = this.nodeFrom.values[row];
      nodeTo[id] = this.nodeTo.values[row];
      nodeFlags[id] =
        EXISTS |
        (this.hasFrom.values[row] === 0 ? 0 : HAS_FROM) |
        (needsEscape(this.names.bytes, start, end) ? NEEDS_ESCAPE : 0);
    }
    return { names, nameStart, nodeLabel, nodeFlags, nodeFrom, nodeTo };
  }

  #placeSideRows(slots: number) {
    const rows = this.sideRows.toSorted((a, b) => a.id - b.id);
    const sideIds = sharedU32(rows.length);
    const sideFactsStart = sharedU32(rows.length + 1);
    const sidePeriodsStart = sharedU32(rows.length + 1);
    for (const [row, { id, facts, periods, edge }] of rows.entries()) {
      sideIds[row] = id;
      sideFactsStart[row + 1] = sideFactsStart[row] + facts.length;
      sidePeriodsStart[row + 1] = sidePeriodsStart[row] + periods.length;
      if (this.froms.values[edge] === ELSEWHERE) this.tos.values[edge] = row;
    }
    const sideFacts = sharedF64(sideFactsStart[rows.length]);
    const sidePeriods = sharedF64(sidePeriodsStart[rows.length]);
    for (const [row, { facts, periods }] of rows.entries()) {
      sideFacts.set(facts, sideFactsStart[row]);
      sidePeriods.set(periods, sidePeriodsStart[row]);
    }
    const saidApart = sharedU8((slots + 7) >>> 3);
    for (let i = 0; i < this.apartIds.length; i++) {
      const id = this.apartIds.values[i];
      saidApart[id >>> 3] |= 1 << (id & 7);
    }
    return { sideIds, sideFactsStart, sideFacts, sidePeriodsStart, sidePeriods, saidApart };
  }
}
