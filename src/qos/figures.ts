import { DistinctBytes } from './distinct-bytes.ts';

/**
 * Figures of nodes on one day as columns: row `i` is the node `ids[i]`. What goes into a roll-up and what comes out of it, so that one
 * label's result is the next one's input; typed arrays throughout, which go from thread to thread without being copied.
 */
export type Figures = {
  ids: Uint32Array;
  /** Percent; NaN where nothing was known. */
  values: Float64Array;
  /** Percent. */
  coverages: Float32Array;
  /** Which of the timelines below; -1 where there is none: nothing was known, or it is an aggregation. */
  timelines: Int32Array;
  /** Each timeline once, encoded (`timeline-bytes.ts`): number t is bytes[timelineStart[t]] … bytes[timelineStart[t + 1]]. */
  timelineStart: Uint32Array;
  bytes: Uint8Array;
};

export type FigureRow = { id: number; value: number | null; coverage: number; timeline: Uint8Array | null };

/** The columns of some rows, in the order given. */
export function toFigures(rows: Iterable<FigureRow>): Figures {
  let ids = new Uint32Array(1024);
  let values = new Float64Array(1024);
  let coverages = new Float32Array(1024);
  let timelines = new Int32Array(1024);
  const distinct = new DistinctBytes();
  let count = 0;
  for (const { id, value, coverage, timeline } of rows) {
    if (count === ids.length) {
      ids = doubled(ids, new Uint32Array(count * 2));
      values = doubled(values, new Float64Array(count * 2));
      coverages = doubled(coverages, new Float32Array(count * 2));
      timelines = doubled(timelines, new Int32Array(count * 2));
    }
    ids[count] = id;
    values[count] = value ?? Number.NaN;
    coverages[count] = coverage;
    timelines[count] = timeline ? distinct.intern(timeline) : -1;
    count++;
  }
  const { start: timelineStart, bytes } = distinct.finish();
  return {
    ids: ids.slice(0, count),
    values: values.slice(0, count),
    coverages: coverages.slice(0, count),
    timelines: timelines.slice(0, count),
    timelineStart,
    bytes,
  };
}

/** The rows again, for the database. */
export function* rowsOf(figures: Figures): Generator<FigureRow> {
  const { ids, values, coverages, timelines, timelineStart, bytes } = figures;
  for (let i = 0; i < ids.length; i++) {
    const t = timelines[i];
    yield {
      id: ids[i],
      value: Number.isNaN(values[i]) ? null : values[i],
      coverage: coverages[i],
      timeline: t < 0 ? null : bytes.subarray(timelineStart[t], timelineStart[t + 1]),
    };
  }
}

function doubled<Column extends { set(values: Column): void }>(column: Column, larger: Column): Column {
  larger.set(column);
  return larger;
}
