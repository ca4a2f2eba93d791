import { equalBytes, hashName } from './name-bytes.ts';

/** Numbers for labels, beginning with those of a base, and found by the label's bytes without making a string of them. */
export class LabelIds {
  readonly labels: string[] = [];
  readonly bytes: Uint8Array[] = [];
  readonly #byLabel = new Map<string, number>();
  readonly #byHash = new Map<number, number>();

  constructor(labels: string[]) {
    for (const label of labels) this.ensure(label);
  }

  /** The label's number, or -1. */
  find(bytes: Uint8Array, start: number, end: number): number {
    const id = this.#byHash.get(hashName(bytes, start, end, 0));
    if (id === undefined) return -1;
    const known = this.bytes[id];
    if (equalBytes(known, 0, known.length, bytes, start, end)) return id;
    // Two labels of one hash: the second is found by its text.
    return this.#byLabel.get(Buffer.from(bytes.subarray(start, end)).toString('latin1')) ?? -1;
  }

  ensure(label: string): number {
    const known = this.#byLabel.get(label);
    if (known !== undefined) return known;
    const id = this.labels.length;
    const bytes = Buffer.from(label);
    const hash = hashName(bytes, 0, bytes.length, 0);
    this.labels.push(label);
    this.bytes.push(bytes);
    this.#byLabel.set(label, id);
    if (!this.#byHash.has(hash)) this.#byHash.set(hash, id);
    return id;
  }
}
