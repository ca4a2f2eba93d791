import type { DependencyTable } from '../graph/graph.service.ts';
import type { Figures } from './figures.ts';
import { IdRows } from './id-rows.ts';
import type { QosQuery } from './query.ts';
import { DAY_SECONDS, FALSE, TRUE, UNKNOWN } from './states.ts';
import { type Operator, Sweep } from './sweep.ts';
import { percentOf } from './timeline.ts';
import { TimelinePool } from './timeline-pool.ts';

export type RollUpQuery = Exclude<QosQuery, { kind: 'rule' }>;

/**
 * The day of every node of the table, from the figures of what they depend on. A dependency without a figure is one of which nothing is known.
 * Figures of nodes that are nobody's dependency do no harm.
 */
export function rollUp(table: DependencyTable, figures: Figures, query: RollUpQuery): Figures {
  const chunk = { table, figures, rows: findRows(table, figures), pool: TimelinePool.decode(figures) };
  const computed = query.kind === 'operation' ? operate(chunk, query) : aggregate(chunk, query.operator);
  return { ids: table.nodes.slice(), coverages: coveragesOf(chunk), ...computed };
}

type Chunk = {
  table: DependencyTable;
  figures: Figures;
  /** For each window, which row of the figures is its dependency's; -1 for none. */
  rows: Int32Array;
  pool: TimelinePool;
};
type Computed = Omit<Figures, 'ids' | 'coverages'>;

const sweep = new Sweep();

function operate({ table, figures, rows, pool }: Chunk, operator: Operator): Computed {
  const { nodes, rowStart, from, to } = table;
  const values = new Float64Array(nodes.length);
  const timelines = new Int32Array(nodes.length);
  const results = new TimelinePool();
  for (let i = 0; i < nodes.length; i++) {
    let trueAllDay = 0;
    for (let w = rowStart[i]; w < rowStart[i + 1]; w++) {
      const t = rows[w] < 0 ? -1 : figures.timelines[rows[w]];
      if (t < 0) continue;
      if (pool.isTrueAllDay(t) && from[w] === 0 && to[w] === DAY_SECONDS) trueAllDay++;
      else sweep.add(pool.changes, pool.start[t], pool.start[t + 1], from[w], to[w]);
    }
    sweep.addTrue(trueAllDay);
    const length = sweep.run(operator);
    const isUnknown = length === 1 && sweep.changes[0] === UNKNOWN;
    const result = isUnknown ? -1 : results.intern(sweep.changes, length);
    timelines[i] = result;
    values[i] = (isUnknown ? null : percentOf(results.trueSeconds[result], results.knownSeconds[result])) ?? Number.NaN;
  }
  return { values, timelines, ...results.encode() };
}

/** Over the dependencies' own figures, each taken over the seconds in which it counts and is known. */
function aggregate({ table, figures, rows, pool }: Chunk, operator: 'AVERAGE' | 'MIN' | 'MAX'): Computed {
  const { nodes, rowStart, dependency, from, to } = table;
  const values = new Float64Array(nodes.length);
  for (let i = 0; i < nodes.length; i++) {
    let least = Infinity;
    let most = -Infinity;
    let goodSeconds = 0;
    let countedSeconds = 0;
    const end = rowStart[i + 1];
    for (let w = rowStart[i]; w < end; ) {
      let known = 0;
      let good = 0;
      // All windows of one dependency.
      for (const id = dependency[w]; w < end && dependency[w] === id; w++) {
        const row = rows[w];
        if (row < 0 || Number.isNaN(figures.values[row])) continue;
        const t = figures.timelines[row];
        if (t < 0) {
          // An aggregation has one figure for all of the day.
          known += to[w] - from[w];
          good += ((to[w] - from[w]) * figures.values[row]) / 100;
        } else if (from[w] === 0 && to[w] === DAY_SECONDS) {
          known += pool.knownSeconds[t];
          good += pool.trueSeconds[t];
        } else {
          const trueSeconds = pool.secondsWithin(t, TRUE, from[w], to[w]);
          known += trueSeconds + pool.secondsWithin(t, FALSE, from[w], to[w]);
          good += trueSeconds;
        }
      }
      if (known === 0) continue;
      const percent = percentOf(good, known) ?? Number.NaN;
      least = Math.min(least, percent);
      most = Math.max(most, percent);
      goodSeconds += good;
      countedSeconds += known;
    }
    const average = percentOf(goodSeconds, countedSeconds) ?? Number.NaN;
    values[i] = countedSeconds === 0 || operator === 'AVERAGE' ? average : operator === 'MIN' ? least : most;
  }
  const timelines = new Int32Array(nodes.length).fill(-1);
  return { values, timelines, timelineStart: new Uint32Array(1), bytes: new Uint8Array(0) };
}

/** What the dependencies cover, weighted by how long they count, and only of the seconds in which there is one. */
function coveragesOf({ table, figures, rows }: Chunk): Float32Array {
  const { nodes, rowStart, from, to } = table;
  const coverages = new Float32Array(nodes.length);
  for (let i = 0; i < nodes.length; i++) {
    let covered = 0;
    let active = 0;
    for (let w = rowStart[i]; w < rowStart[i + 1]; w++) {
      const seconds = to[w] - from[w];
      active += seconds;
      if (rows[w] >= 0) covered += figures.coverages[rows[w]] * seconds;
    }
    if (active > 0) coverages[i] = (covered / active) * (unionSeconds(table, i) / DAY_SECONDS);
  }
  return coverages;
}

/** How many seconds lie in some window of the row. */
function unionSeconds({ rowStart, from, to }: DependencyTable, i: number): number {
  for (let w = rowStart[i]; w < rowStart[i + 1]; w++) if (from[w] === 0 && to[w] === DAY_SECONDS) return DAY_SECONDS;
  const windows = Array.from({ length: rowStart[i + 1] - rowStart[i] }, (_, k) => rowStart[i] + k);
  let seconds = 0;
  let reached = 0;
  for (const w of windows.toSorted((a, b) => from[a] - from[b])) {
    seconds += Math.max(0, to[w] - Math.max(from[w], reached));
    reached = Math.max(reached, to[w]);
  }
  return seconds;
}

function findRows({ dependency }: DependencyTable, { ids }: Figures): Int32Array {
  const rowById = new IdRows(ids);
  const rows = new Int32Array(dependency.length);
  for (let w = 0; w < rows.length; w++) rows[w] = rowById.find(dependency[w]);
  return rows;
}

/** What can be given to another thread instead of copied. */
export function buffersOf(arrays: object): ArrayBuffer[] {
  const buffers = Object.values(arrays).flatMap((array) => (ArrayBuffer.isView(array) ? [array.buffer] : []));
  return [...new Set(buffers.filter((buffer) => buffer instanceof ArrayBuffer))];
}
