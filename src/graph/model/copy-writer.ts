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
    out.text(label);
    out.text(name);
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
    out.int8Array(facts);
  }
  return out.finish();
}

/** `'{1,-2}'`: facts as text, since `unnest` cannot give back lists of different lengths. */
export function factsLiteral(facts: readonly number[]): string {
  return `{${facts.join(',')}}`;
}

const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const INT8_OID = 20;

class RowWriter {
  #bytes = Buffer.allocUnsafe(65_536);
  #at: number;
  #teamId: Buffer | undefined;

  constructor(teamId: string | undefined) {
    if (teamId !== undefined) {
      this.#teamId = Buffer.from(teamId.replaceAll('-', ''), 'hex');
      if (this.#teamId.length !== 16) throw new Error('a team id must be a UUID');
    }
    SIGNATURE.copy(this.#bytes);
    this.#at = SIGNATURE.length;
  }

  /** Begins a row of that many fields beside the team, which comes first. */
  row(fields: number): void {
    this.#reserve(64);
    this.#at = this.#bytes.writeInt16BE(this.#teamId ? fields + 1 : fields, this.#at);
    if (!this.#teamId) return;
    this.#at = this.#bytes.writeInt32BE(16, this.#at);
    this.#at += this.#teamId.copy(this.#bytes, this.#at);
  }

  int4(value: number): void {
    this.#reserve(8);
    this.#at = this.#bytes.writeInt32BE(4, this.#at);
    this.#at = this.#bytes.writeInt32BE(value, this.#at);
  }

  text(value: string): void {
    this.#reserve(4 + value.length * 3);
    const length = this.#bytes.write(value, this.#at + 4);
    this.#bytes.writeInt32BE(length, this.#at);
    this.#at += 4 + length;
  }

  int8OrNull(value: number | null): void {
    this.#reserve(12);
    if (value === null) this.#at = this.#bytes.writeInt32BE(-1, this.#at);
    else this.#int8(value);
  }

  int8Array(values: readonly number[]): void {
    this.#reserve(24 + values.length * 12);
    const dimensions = values.length === 0 ? 0 : 1;
    this.#at = this.#bytes.writeInt32BE(12 + dimensions * 8 + values.length * 12, this.#at);
    this.#at = this.#bytes.writeInt32BE(dimensions, this.#at);
    this.#at = this.#bytes.writeInt32BE(0, this.#at);
    this.#at = this.#bytes.writeInt32BE(INT8_OID, this.#at);
    if (dimensions === 0) return;
    this.#at = this.#bytes.writeInt32BE(values.length, this.#at);
    this.#at = this.#bytes.writeInt32BE(1, this.#at);
    for (const value of values) this.#int8(value);
  }

  finish(): Uint8Array {
    this.#reserve(2);
    this.#at = this.#bytes.writeInt16BE(-1, this.#at);
    return new Uint8Array(this.#bytes.subarray(0, this.#at));
  }

  #int8(value: number): void {
    this.#at = this.#bytes.writeInt32BE(8, this.#at);
    const high = Math.floor(value / 2 ** 32);
    this.#at = this.#bytes.writeInt32BE(high, this.#at);
    this.#at = this.#bytes.writeUInt32BE(value - high * 2 ** 32, this.#at);
  }

  #reserve(more: number): void {
    if (this.#at + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#at + more));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}
