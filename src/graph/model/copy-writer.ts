import type { AddedNode, ChangedRelationship } from './change-codec.ts';

/**
 * Rows for PostgreSQL's `copy … from stdin (format binary)`, one whole stream with header and end mark. Without a team
 * the column is left out, and the rows are what `copy-reader.ts` reads.
 */

/** `copy nodes (team_id, id, label, name, active_from, active_to) from stdin (format binary)` */
export function nodeRows(teamId: string | undefined, nodes: AddedNode[]): Uint8Array {
  const out = new RowWriter(teamId);
  for (const { id, label, name, from, to } of nodes) {
    out.row(5);
    out.int4(id);
    for (const text of [Buffer.from(label), Buffer.from(name)]) out.bytes(text, 0, text.length);
    out.int8OrNull(from);
    out.int8OrNull(to);
  }
  return out.finish();
}

/** `copy relationships (team_id, id, source_id, target_id, facts) from stdin (format binary)` */
export function relationshipRows(teamId: string | undefined, relationships: ChangedRelationship[]): Uint8Array {
  const out = new RowWriter(teamId);
  for (const { id, source, target, facts } of relationships) {
    out.row(4);
    out.int4(id);
    out.int4(source);
    out.int4(target);
    out.beginInt8Array(facts.length);
    for (const fact of facts) out.int8(fact);
  }
  return out.finish();
}

/** `'{1,-2}'`: facts as text, since `unnest` cannot give back lists of different lengths. */
export function factsLiteral(facts: readonly number[]): string {
  return `{${facts.join(',')}}`;
}

const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const INT8_OID = 20;

export class RowWriter {
  #bytes: Uint8Array<ArrayBuffer>;
  #view: DataView;
  #at = SIGNATURE.length;
  #team: DataView | undefined;

  /** `size` is what the rows will probably need. */
  constructor(teamId: string | undefined, size = 65_536) {
    if (teamId !== undefined) {
      const team = new Uint8Array(Buffer.from(teamId.replaceAll('-', ''), 'hex'));
      if (team.length !== 16) throw new Error('a team id must be a UUID');
      this.#team = new DataView(team.buffer);
    }
    this.#bytes = new Uint8Array(size + 256);
    this.#view = new DataView(this.#bytes.buffer);
    this.#bytes.set(SIGNATURE);
  }

  /** Begins a row of that many fields beside the team, which comes first. */
  row(fields: number): void {
    this.#reserve(64);
    const view = this.#view;
    const at = this.#at;
    if (!this.#team) {
      view.setInt16(at, fields);
      this.#at = at + 2;
      return;
    }
    view.setInt16(at, fields + 1);
    view.setInt32(at + 2, 16);
    for (let i = 0; i < 16; i += 4) view.setInt32(at + 6 + i, this.#team.getInt32(i));
    this.#at = at + 22;
  }

  int4(value: number): void {
    this.#reserve(8);
    this.#view.setInt32(this.#at, 4);
    this.#view.setInt32(this.#at + 4, value);
    this.#at += 8;
  }

  /** UTF-8 between `start` and `end`. */
  bytes(source: Uint8Array, start: number, end: number): void {
    this.#reserve(4 + end - start);
    this.#view.setInt32(this.#at, end - start);
    this.#at += 4;
    for (let i = start; i < end; i++) this.#bytes[this.#at++] = source[i];
  }

  /** NaN is null, too. */
  int8OrNull(value: number | null): void {
    if (value !== null && !Number.isNaN(value)) return this.int8(value);
    this.#reserve(4);
    this.#view.setInt32(this.#at, -1);
    this.#at += 4;
  }

  /** That many numbers follow, each by `int8`. */
  beginInt8Array(count: number): void {
    this.#reserve(24);
    const view = this.#view;
    const at = this.#at;
    const dimensions = count === 0 ? 0 : 1;
    view.setInt32(at, 12 + dimensions * 8 + count * 12);
    view.setInt32(at + 4, dimensions);
    view.setInt32(at + 8, 0);
    view.setInt32(at + 12, INT8_OID);
    this.#at = at + 16;
    if (count === 0) return;
    view.setInt32(at + 16, count);
    view.setInt32(at + 20, 1);
    this.#at = at + 24;
  }

  int8(value: number): void {
    this.#reserve(12);
    const high = Math.floor(value / 2 ** 32);
    this.#view.setInt32(this.#at, 8);
    this.#view.setInt32(this.#at + 4, high);
    this.#view.setUint32(this.#at + 8, value - high * 2 ** 32);
    this.#at += 12;
  }

  finish(): Uint8Array<ArrayBuffer> {
    this.#reserve(2);
    this.#view.setInt16(this.#at, -1);
    return this.#bytes.subarray(0, this.#at + 2);
  }

  #reserve(more: number): void {
    if (this.#at + more <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#at + more));
    larger.set(this.#bytes);
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }
}
