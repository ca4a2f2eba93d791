import type { FigureRow, Figures } from '../../src/qos/figures.ts';

/** The figures of a day by node id, as the table `qos_figures` would give them back. */
export class StoredFigures {
  readonly #parts: Figures[] = [];
  readonly #part: Int16Array;
  readonly #row: Uint32Array;
  /** Who has been given to this asker already. */
  readonly #given: Uint32Array;
  #asker = 0;
  count = 0;

  constructor(nodes: number) {
    this.#part = new Int16Array(nodes).fill(-1);
    this.#row = new Uint32Array(nodes);
    this.#given = new Uint32Array(nodes);
  }

  add(figures: Figures): void {
    const part = this.#parts.push(figures) - 1;
    for (const [row, id] of figures.ids.entries()) {
      this.#part[id] = part;
      this.#row[id] = row;
    }
    this.count += figures.ids.length;
  }

  find(id: number): FigureRow | undefined {
    const part = this.#parts[this.#part[id]];
    if (!part) return undefined;
    const row = this.#row[id];
    const t = part.timelines[row];
    return {
      id,
      value: Number.isNaN(part.values[row]) ? null : part.values[row],
      coverage: part.coverages[row],
      timeline: t < 0 ? null : part.bytes.subarray(part.timelineStart[t], part.timelineStart[t + 1]),
    };
  }

  /** Each of these nodes once. */
  *rowsFor(ids: Uint32Array): Generator<FigureRow> {
    const asker = ++this.#asker;
    for (const id of ids) {
      if (this.#given[id] === asker) continue;
      this.#given[id] = asker;
      const row = this.find(id);
      if (row) yield row;
    }
  }

  bytes(): number {
    const views = this.#parts.flatMap((part) => Object.values(part));
    return views.reduce((sum, view) => sum + view.byteLength, 0);
  }
}
