import { Duplex } from 'node:stream';
import type { EmbeddedHost } from './embedded.ts';
import { createFrameSplitter, frame, frameType, queryFrame, syncFrame, welcomeFrames } from './wire.ts';

const copyFromStdin = /^(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/)*copy\b[\s\S]*\bfrom\s+stdin\b/i;
const listenCommand = /\blisten\s+("(?:[^"]|"")+"|[\p{L}_][\p{L}\p{N}_$]*)/giu;
const unlistenCommand = /^\s*unlisten\s+("(?:[^"]|"")+"|[\p{L}_][\p{L}\p{N}_$]*|\*)\s*;?\s*$/iu;

/**
 * What `pg` takes for a socket: one client of the embedded database.
 *
 * PGlite has one session, and all clients share it. So that they cannot tell, a client
 *   - sends whole units (up to Query, Sync or Flush), and the host lets no other one in until the session is idle again;
 *   - has its statement names prefixed, so that two clients may use one name;
 *   - hears only the channels it listens to, since the session hears those of all;
 *   - leaves nothing behind: what it did not commit is rolled back, its statements are closed.
 */
export class EmbeddedStream extends Duplex {
  /** Units that wait for their turn. The host takes them. */
  readonly units: Uint8Array<ArrayBuffer>[] = [];
  readonly #host: EmbeddedHost;
  readonly #prefix: Buffer;
  readonly #split: (chunk: Buffer) => void;
  readonly #statements = new Set<string>();
  readonly #channels = new Set<string>();
  #unit: Buffer[] = [];
  #copyIn: Buffer[] | undefined;
  #hidesCopyInResponse = false;
  #isLeaving = false;

  constructor(host: EmbeddedHost, id: number) {
    super({ readableHighWaterMark: 1 << 20, writableHighWaterMark: 1 << 20 });
    this.#host = host;
    this.#prefix = Buffer.from(`c${id}_`);
    this.#split = createFrameSplitter((type, bytes) => this.#onFrame(type, bytes));
  }

  // The part of net.Socket that pg calls.
  connect(): this {
    this.#host.attach(this).then(
      () => this.emit('connect'),
      (error: Error) => this.destroy(error),
    );
    return this;
  }
  setNoDelay(): this {
    return this;
  }
  setKeepAlive(): this {
    return this;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#split(chunk);
    done();
  }

  override _writev(chunks: Array<{ chunk: Buffer }>, done: () => void): void {
    for (const { chunk } of chunks) this.#split(chunk);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.units.length = 0;
    this.#host.detach(this);
    done(error);
  }

  /** A piece of the answer to the unit that is running. */
  deliver(bytes: Buffer): void {
    if (this.destroyed) return;
    // COPY FROM was answered before it was sent: see #onFrame. The true answer is the first frame of its result.
    const isSecondCopyInResponse = this.#hidesCopyInResponse && bytes[0] === frameType.copyInResponse;
    this.#hidesCopyInResponse = false;
    this.push(isSecondCopyInResponse ? bytes.subarray(1 + bytes.readUInt32BE(1)) : bytes);
  }

  /** A NotificationResponse of the shared session: process id (4 bytes), channel, payload. */
  hear(notification: Buffer): void {
    const channel = notification.toString('utf8', 9, notification.indexOf(0, 9));
    if (!this.destroyed && this.#channels.has(channel)) this.push(notification);
  }

  /** The host has nothing more of this client to run. */
  onDrained(): void {
    if (this.#isLeaving) this.push(null);
  }

  /** Brings the shared session back to what another client expects, after this one has gone. */
  farewell(isHoldingSession: boolean): Buffer | undefined {
    if (!isHoldingSession && this.#statements.size === 0) return undefined;
    return Buffer.concat([
      ...(isHoldingSession ? [syncFrame, queryFrame('rollback')] : []),
      ...[...this.#statements].map((name) => frame(frameType.close, Buffer.from(`S${name}\0`))),
      syncFrame,
    ]);
  }

  #onFrame(type: number, bytes: Buffer): void {
    if (type === 0) {
      this.push(welcomeFrames(this.#host.parameters()));
      return;
    }
    if (type === frameType.terminate) {
      this.#isLeaving = true;
      this.#host.leave(this);
      return;
    }
    if (this.#copyIn) {
      this.#copyIn.push(bytes);
      if (type === frameType.copyDone || type === frameType.copyFail) this.#submitCopy(this.#copyIn);
      return;
    }
    if (type === frameType.query) {
      const sql = bytes.toString('utf8', 5, bytes.length - 1);
      // PGlite cannot stop in the middle of a statement to wait for data. So the client is told to send at once, and the
      // statement runs when the data is complete.
      if (copyFromStdin.test(sql)) {
        this.#copyIn = [bytes];
        this.push(frame(frameType.copyInResponse, Buffer.alloc(3)));
        return;
      }
      this.#unit.push(this.#followChannels(sql) ? queryFrame('') : bytes);
    } else {
      this.#unit.push(this.#withOwnName(type, bytes));
    }
    if (type === frameType.query || type === frameType.sync || type === frameType.flush) {
      this.#submit(this.#unit);
      this.#unit = [];
    }
  }

  #submit(frames: Buffer[]): void {
    // One copy into memory of its own, which can then be handed to the worker's thread without another.
    const unit = new Uint8Array(frames.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const bytes of frames) {
      unit.set(bytes, at);
      at += bytes.length;
    }
    this.units.push(unit);
    this.#host.submit(this);
  }

  #submitCopy(frames: Buffer[]): void {
    this.#copyIn = undefined;
    this.#hidesCopyInResponse = true;
    this.#submit(frames);
  }

  /** True if the statement was an UNLISTEN. It stays here, because other clients may listen to the same channel. */
  #followChannels(sql: string): boolean {
    const unlisten = unlistenCommand.exec(sql)?.[1];
    if (unlisten === '*') this.#channels.clear();
    else if (unlisten) this.#channels.delete(channelName(unlisten));
    if (unlisten) return true;
    for (const [, name] of sql.matchAll(listenCommand)) if (name) this.#channels.add(channelName(name));
    return false;
  }

  #withOwnName(type: number, bytes: Buffer): Buffer {
    const nameAt = statementNameAt(type, bytes);
    if (nameAt === undefined || bytes[nameAt] === 0) return bytes;
    const name = this.#prefix.toString() + bytes.toString('utf8', nameAt, bytes.indexOf(0, nameAt));
    if (type === frameType.parse) this.#statements.add(name);
    if (type === frameType.close) this.#statements.delete(name);
    const renamed = Buffer.concat([bytes.subarray(0, nameAt), this.#prefix, bytes.subarray(nameAt)]);
    renamed.writeUInt32BE(renamed.length - 1, 1);
    return renamed;
  }
}

function statementNameAt(type: number, bytes: Buffer): number | undefined {
  if (type === frameType.parse) return 5;
  if (type === frameType.bind) return bytes.indexOf(0, 5) + 1; // after the portal's name
  const isAboutStatement = bytes[5] === 0x53; // S; a portal would be P
  if ((type === frameType.describe || type === frameType.close) && isAboutStatement) return 6;
  return undefined;
}

const channelName = (written: string): string =>
  written.startsWith('"') ? written.slice(1, -1).replaceAll('""', '"') : written.toLowerCase();
