import { MAX_NAME_CHARACTERS, type Message, type MessageNode, parseMessage } from '../message.ts';
import type { Base } from './base.ts';
import { eachLine } from './lines.ts';
import { ABSENT, CLEARED, MessageScanner, ScannedMessage, type ScannedPart } from './message-scanner.ts';
import { type Prepared, toPrepared } from './prepared.ts';
import { Recent } from './recent.ts';
import { applyPayload } from './recent-payload.ts';

export type BatchMode = 'add' | 'remove';

/** Complete NDJSON lines as bytes, or values that were parsed already; `firstLine` counts from 1. */
export type Batch = { mode: BatchMode; firstLine: number } & ({ ndjson: Uint8Array } | { messages: unknown[] });

export type LineError = { line: number; message: string };

export type BatchTally = { accepted: number; unchanged: number; rejected: number; errors: LineError[]; lines: number };

/** What is committed: a base, and the payloads of all versions after it. */
export type Committed = { base: Base; payloads: readonly Uint8Array[] };

/** Beyond these an answer only counts. */
const MAX_ERRORS = 100;
const MAX_NODES = 2 ** 26;

/**
 * Turns batches of messages into rows and changes, ahead of the database: a batch may be prepared while the one before
 * it is still being written. One writer per team, so ids are simply counted on.
 *
 *   prepare 1   prepare 2   commit 1   prepare 3   rollback      2 and 3 are forgotten, the next one builds on 1
 */
export class Writer {
  readonly #teamId: string;
  readonly #committed: () => Committed;
  readonly #scanner = new MessageScanner();
  readonly #encoded = new EncodedMessage();
  /** Everything up to the newest pending batch; undefined until it is needed (again). */
  #recent: Recent | undefined;
  /** The committed version that was looked at last, and the batches prepared after it. */
  #version = -1;
  #pending: Array<{ version: number; payload: Uint8Array }> = [];

  constructor(teamId: string, committed: () => Committed) {
    this.#teamId = teamId;
    this.#committed = committed;
  }

  prepare(batch: Batch): Prepared {
    const recent = this.catchUp();
    const scanned = this.#scanner.message;
    const tally: BatchTally = { accepted: 0, unchanged: 0, rejected: 0, errors: [], lines: 0 };
    const isAdd = batch.mode === 'add';
    const reject = (line: number, message: string) => {
      tally.rejected++;
      if (tally.errors.length < MAX_ERRORS) tally.errors.push({ line, message });
    };
    const take = (message: ScannedMessage, line: number) => {
      if (recent.nextNodeId + 2 > MAX_NODES) return reject(line, `a team holds at most ${MAX_NODES} nodes`);
      tally.accepted++;
      if (!(isAdd ? recent.add(message) : recent.remove(message))) tally.unchanged++;
    };
    const parsed = (value: unknown, line: number) => {
      const message = parseMessage(value);
      if (typeof message === 'string') return reject(line, message);
      const encoded = this.#encoded.set(message);
      recent.resolveLabels(encoded);
      take(encoded, line);
    };
    return this.#change(recent, () => {
      if ('ndjson' in batch) {
        const isTaken = (line: number) => {
          if (!recent.resolveLabels(scanned)) return false;
          take(scanned, line);
          return true;
        };
        tally.lines = eachLine(batch.ndjson, batch.firstLine, this.#scanner, { scanned: isTaken, parsed, reject });
      } else {
        for (const [i, value] of batch.messages.entries()) parsed(value, batch.firstLine + i);
        tally.lines = batch.messages.length;
      }
      return tally;
    });
  }

  /** Undefined for an unknown node; a refusal while it has relationships, unless they are to go with it. */
  prepareDelete(label: string, name: string, detach: boolean): Prepared | 'has_relationships' | undefined {
    const message = parseMessage({ source: { label, name } });
    // What cannot be a node is none.
    if (typeof message === 'string') return undefined;
    const recent = this.catchUp();
    const encoded = this.#encoded.set(message);
    recent.resolveLabels(encoded);
    const id = recent.findNode(encoded.bytes, encoded.source);
    if (id < 0) return undefined;
    const relationships = recent.listRelationships(id);
    if (relationships.length > 0 && !detach) return 'has_relationships';
    return this.#change(recent, () => {
      for (const { source, target } of relationships) recent.deleteRelationship(source, target);
      recent.deleteNode(encoded.bytes, encoded.source);
      return { accepted: 1, unchanged: 0, rejected: 0, errors: [], lines: 0 };
    });
  }

  /** Forgets everything prepared and not committed. */
  rollback(): void {
    this.#pending = [];
    this.#recent = undefined;
  }

  /** The base is another one: what was known above the old one can go, and comes again when it is needed. */
  rebase(): void {
    this.#recent = undefined;
  }

  /** Looks at what was committed since the last look. It throws when that cannot be read. */
  catchUp(): Recent {
    const { base, payloads } = this.#committed();
    const version = base.version + payloads.length;
    // With nothing known and nothing pending there is nothing to compare.
    const isKnown = this.#recent !== undefined || this.#pending.length > 0;
    for (let next = isKnown ? this.#version + 1 : version + 1; next <= version; next++)
      this.#takeCommitted(next, next > base.version ? payloads[next - base.version - 1] : undefined);
    this.#pending = this.#pending.filter((pending) => pending.version > version);
    this.#version = version;
    this.#recent ??= this.#rebuild(base, payloads);
    return this.#recent;
  }

  /** `payload` is undefined where a base came that has the change already. */
  #takeCommitted(version: number, payload: Uint8Array | undefined): void {
    const own = this.#pending.at(0);
    if (own?.version === version && (!payload || Buffer.compare(own.payload, payload) === 0)) this.#pending.shift();
    // Somebody else's, while ours are on their way: theirs count.
    else if (own) this.rollback();
    else if (payload && this.#recent) applyPayload(this.#recent, payload);
    else this.#recent = undefined;
  }

  #rebuild(base: Base, payloads: readonly Uint8Array[]): Recent {
    const recent = new Recent(base);
    for (const payload of payloads) applyPayload(recent, payload);
    for (const { payload } of this.#pending) applyPayload(recent, payload);
    return recent;
  }

  #change(recent: Recent, act: () => BatchTally): Prepared {
    try {
      recent.beginBatch();
      const tally = act();
      recent.orderAdded();
      const prepared = toPrepared(this.#teamId, recent, tally);
      recent.version = prepared.version;
      if (prepared.payload) this.#pending.push({ version: prepared.version, payload: prepared.payload });
      return prepared;
    } catch (error) {
      // Half of it may be in there.
      this.#recent = undefined;
      throw error;
    }
  }
}

/** A parsed message in the form that the scanner gives. */
class EncodedMessage extends ScannedMessage {
  readonly #buffer = Buffer.alloc(16 * MAX_NAME_CHARACTERS);
  #length = 0;

  set({ source, target, rel }: Message): this {
    this.bytes = this.#buffer;
    this.#length = 0;
    this.#setNode(this.source, source);
    this.target.clear();
    if (target) this.#setNode(this.target, target);
    this.rel.from = rel?.from ?? ABSENT;
    this.rel.to = rel?.to ?? ABSENT;
    return this;
  }

  #setNode(part: ScannedPart, { label, name, from, to }: MessageNode): void {
    part.labelStart = this.#length;
    part.labelEnd = this.#write(label);
    part.nameStart = this.#length;
    part.nameEnd = this.#write(name);
    part.from = from === undefined ? ABSENT : (from ?? CLEARED);
    part.to = to === undefined ? ABSENT : (to ?? CLEARED);
  }

  #write(text: string): number {
    this.#length += this.#buffer.write(text, this.#length);
    return this.#length;
  }
}
