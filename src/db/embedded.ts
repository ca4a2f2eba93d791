import { Worker } from 'node:worker_threads';
import { EmbeddedStream } from './embedded-stream.ts';
import type { WorkerReply, WorkerRequest, WorkerSettings } from './embedded-worker.ts';

/** In the compiled package the file beside this one ends with `.js`. */
const workerFile = new URL(
  `./embedded-worker${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`,
  import.meta.url,
);

/**
 * The embedded database seen from the main thread: one worker with one session, shared fairly by many clients.
 *
 *   pg client ─▶ EmbeddedStream ─┐                       a client's turn is one unit; inside a transaction
 *   pg client ─▶ EmbeddedStream ─┼─▶ host ─▶ worker      (session not idle) the turn lasts until its end
 *   pg client ─▶ EmbeddedStream ─┘
 *
 * If the worker dies, every client fails, and the next one that connects starts a new worker.
 */
export class EmbeddedHost {
  #settings: WorkerSettings;
  readonly #clients = new Set<EmbeddedStream>();
  /** Clients with something to run, in order of arrival: a Set keeps that order and finds a member at once. */
  readonly #waiting = new Set<EmbeddedStream>();
  #worker: Worker | undefined;
  #ready: Promise<void> | undefined;
  #serverVersion = '';
  #running: EmbeddedStream | undefined;
  #owner: EmbeddedStream | undefined;
  #farewells: Buffer[] = [];
  #isBusy = false;
  #isClosed = false;
  #clientCount = 0;

  constructor(settings: WorkerSettings) {
    this.#settings = settings;
  }

  get serverVersion(): string {
    return this.#serverVersion;
  }

  /** Nothing runs, nothing waits, and no transaction is open. */
  get isIdle(): boolean {
    return !this.#isBusy && !this.#owner && this.#waiting.size === 0;
  }

  start(): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error('The embedded database is closed.'));
    this.#ready ??= this.#startWorker();
    return this.#ready;
  }

  /** For `new pg.Pool({ stream })`. */
  createStream = (): EmbeddedStream => new EmbeddedStream(this, ++this.#clientCount);

  async attach(client: EmbeddedStream): Promise<void> {
    await this.start();
    if (!client.destroyed) this.#clients.add(client);
  }

  submit(client: EmbeddedStream): void {
    this.#waiting.add(client);
    this.#next();
  }

  /** The client said goodbye: it may go when what it sent before has run. */
  leave(client: EmbeddedStream): void {
    if (this.#running !== client && client.units.length === 0) client.onDrained();
  }

  detach(client: EmbeddedStream): void {
    if (!this.#clients.delete(client)) return;
    this.#waiting.delete(client);
    // While its unit runs nobody knows the state of the session: #onDone cleans up then.
    if (this.#running !== client) this.#sayFarewell(client);
    this.#next();
  }

  parameters(): Record<string, string> {
    return {
      server_version: this.#serverVersion,
      server_encoding: 'UTF8',
      client_encoding: 'UTF8',
      DateStyle: 'ISO, MDY',
      integer_datetimes: 'on',
      standard_conforming_strings: 'on',
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#worker;
    if (!worker) return;
    const closed = new Promise<void>((resolve) => {
      worker.once('exit', () => resolve());
      worker.on('message', (reply: WorkerReply) => reply.kind === 'closed' && resolve());
    });
    this.#post({ kind: 'close' });
    await closed;
    await worker.terminate();
  }

  #startWorker(): Promise<void> {
    const worker = new Worker(workerFile, { workerData: this.#settings });
    this.#worker = worker;
    return new Promise((resolve, reject) => {
      let failure: Error | undefined;
      worker.on('error', (error: Error) => {
        failure = error;
      });
      worker.once('exit', () => {
        const error = new Error('The embedded database stopped.', { cause: failure });
        reject(failure ?? error);
        this.#onDeath(error);
      });
      worker.on('message', (reply: WorkerReply) => {
        if (reply.kind === 'ready') {
          this.#serverVersion = reply.serverVersion;
          this.#settings = { ...this.#settings, template: undefined };
          resolve();
        } else if (reply.kind === 'bytes') this.#running?.deliver(asBuffer(reply.bytes));
        else if (reply.kind === 'done') this.#onDone(reply.isIdle, reply.notifications);
      });
    });
  }

  #onDone(isIdle: boolean, notifications: Uint8Array[]): void {
    const client = this.#running;
    this.#isBusy = false;
    this.#running = undefined;
    for (const notification of notifications) for (const each of this.#clients) each.hear(asBuffer(notification));
    if (client) {
      this.#owner = isIdle ? undefined : client;
      if (client.destroyed) this.#sayFarewell(client);
      else if (client.units.length > 0) this.#waiting.add(client);
      else client.onDrained();
    }
    this.#next();
  }

  #sayFarewell(client: EmbeddedStream): void {
    const farewell = client.farewell(this.#owner === client);
    if (this.#owner === client) this.#owner = undefined;
    if (farewell) this.#farewells.push(farewell);
  }

  #next(): void {
    if (this.#isBusy || !this.#worker) return;
    const farewell = this.#owner ? undefined : this.#farewells.shift();
    if (farewell) return this.#post({ kind: 'run', unit: Uint8Array.from(farewell) });
    const client = this.#owner ?? this.#waiting.values().next().value;
    const unit = client?.units.shift();
    if (!client || !unit) return;
    this.#waiting.delete(client);
    this.#running = client;
    this.#post({ kind: 'run', unit });
  }

  #post(request: WorkerRequest): void {
    this.#isBusy = true;
    this.#worker?.postMessage(request, request.kind === 'run' ? [request.unit.buffer] : []);
  }

  #onDeath(error: Error): void {
    this.#worker = undefined;
    this.#ready = undefined;
    this.#running = undefined;
    this.#owner = undefined;
    this.#isBusy = false;
    this.#farewells = [];
    this.#waiting.clear();
    const clients = [...this.#clients];
    this.#clients.clear();
    for (const client of clients) client.destroy(error);
  }
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
