/**
 * The working memory of one walk, used again for the next: visited marks carry the number of the walk that set them,
 * so they are cleared only every hundred walks or so.
 */
export class Scratch {
  /** One byte per node: small enough to stay in the cache where four bytes would not. */
  seen = new Uint8Array(0);
  queue = new Uint32Array(0);
  activeQueue = new Uint32Array(0);
  /** One bit per rank, kept clear between uses. */
  rankBits = new Uint32Array(0);
  head = 0;
  tail = 0;
  /** Nodes and relationships that are looked at before others are let in; more only if the first node alone has more. */
  readonly sliceLength: number;
  #mark = 0;

  constructor(sliceLength = SLICE_LENGTH) {
    this.sliceLength = sliceLength;
  }

  /** Starts a walk over ids below `nodeSlots` and answers its mark. */
  begin(nodeSlots: number): number {
    if (this.seen.length < nodeSlots) this.#grow(nodeSlots);
    if (this.#mark > MAX_MARK) {
      this.seen.fill(0);
      this.#mark = 0;
    }
    this.#mark += 2;
    return this.#mark;
  }

  /** The second walk's mark; it may also be the only walk. */
  beginActive(nodeSlots: number): number {
    if (this.#mark === 0 || this.seen.length < nodeSlots) this.begin(nodeSlots);
    return this.#mark + 1;
  }

  isActive(id: number): boolean {
    return this.seen[id] === this.#mark + 1;
  }

  reserveRankBits(ranks: number): Uint32Array {
    const words = (ranks + 31) >>> 5;
    if (this.rankBits.length < words) this.rankBits = new Uint32Array(words);
    return this.rankBits;
  }

  bytes(): number {
    return this.seen.byteLength + this.queue.byteLength * 2 + this.rankBits.byteLength;
  }

  #grow(nodeSlots: number): void {
    const slots = Math.ceil(nodeSlots * 1.1) + 1024;
    this.seen = new Uint8Array(slots);
    this.queue = new Uint32Array(slots);
    this.activeQueue = new Uint32Array(slots);
    this.#mark = 0;
  }
}

/** Some milliseconds of walking. */
const SLICE_LENGTH = 262_144;
/** A walk takes two marks, and a byte holds 255. */
const MAX_MARK = 252;
