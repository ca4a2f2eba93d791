import { Worker } from 'node:worker_threads';
import { type Base, baseBytes } from './base.ts';
import type { BaseNumbers } from './base-builder.ts';
import type { FromBuilder, SnapshotPlace, ToBuilder } from './protocol.ts';
import { type RunLater, runWithTimer } from './run-later.ts';
import { NO_FILE } from './snapshot.ts';
import { workerUrl } from './worker-url.ts';

/** `copy … to stdout (format binary)`: nodes as id, label, name, active_from, active_to; relationships as id,
 * source_id, target_id, facts. */
export type RowSource = BaseNumbers & {
  nodes: AsyncIterable<Uint8Array>;
  relationships: AsyncIterable<Uint8Array>;
};

type BuilderLog = { warn(fields: object, message: string): void };

type BuilderThread = {
  build(rows: RowSource, snapshot: SnapshotPlace | undefined): Promise<Base>;
  rebuild(base: Base, payloads: Uint8Array[], snapshot: SnapshotPlace | undefined): Promise<Base>;
  /** Undefined when there is no file to use; the reason goes to the log. */
  readSnapshot(place: SnapshotPlace): Promise<Base | undefined>;
  /** Everything that was asked for is done, snapshots included. */
  whenDone(): Promise<void>;
  close(): Promise<void>;
};

/** What a thread needed for something large stays with it as garbage, since an idle thread collects none. So it ends, and a new one comes when needed. */
const LARGE_BYTES = 16 * 1024 * 1024;
const IDLE_MS = 1000;
/** Pieces on their way to the builder at a time: the database must not run ahead of it. */
const MAX_PIECES_UNDER_WAY = 16;

type Waiting = { resolve: (message: FromBuilder) => void; reject: (error: Error) => void };

export function createBuilderThread(
  log: BuilderLog,
  { runLater = runWithTimer, largeBytes = LARGE_BYTES }: { runLater?: RunLater; largeBytes?: number } = {},
): BuilderThread {
  let nextJob = 1;
  let isClosed = false;
  const waiting = new Map<number, Waiting>();
  const underWay = new Map<number, { pieces: number; wake: () => void }>();
  /** Messages that the thread is not done with: it delivers a base first, and writes the snapshot afterwards. */
  let unhandled = 0;
  const waitingForAll: (() => void)[] = [];
  let hasGarbage = false;
  let cancelRest: (() => void) | undefined;
  let worker: Worker | undefined = start();

  function start(): Worker {
    const started = new Worker(workerUrl('builder-worker'), { execArgv: [] });
    started.unref();
    started.on('message', receive);
    let cause = 'it exited';
    started.on('error', (error) => {
      cause = error instanceof Error ? error.message : String(error);
    });
    started.on('exit', () => {
      if (worker !== started) return;
      for (const { reject } of waiting.values()) reject(new Error(`the thread that builds graphs stopped: ${cause}`));
      waiting.clear();
      for (const { wake } of underWay.values()) wake();
      for (const wake of waitingForAll.splice(0)) wake();
      if (isClosed) return;
      log.warn({ cause }, 'graph builder thread replaced');
      worker = start();
    });
    unhandled = 0;
    hasGarbage = false;
    return started;
  }

  function wake(): Worker {
    cancelRest?.();
    worker ??= start();
    return worker;
  }

  function restLater(): void {
    cancelRest?.();
    if (hasGarbage && unhandled === 0 && underWay.size === 0) cancelRest = runLater(IDLE_MS, rest);
  }

  function rest(): void {
    const idle = worker;
    worker = undefined;
    void idle?.terminate();
  }

  function receive(message: FromBuilder): void {
    if (message.type === 'snapshotFailed') {
      log.warn({ path: message.path, cause: message.message }, 'graph snapshot not written');
      return;
    }
    if (message.type === 'handled') {
      unhandled--;
      if (unhandled === 0) for (const wake of waitingForAll.splice(0)) wake();
      return restLater();
    }
    if (message.type === 'taken') {
      const flow = underWay.get(message.job);
      if (flow) {
        flow.pieces--;
        flow.wake();
      }
      return;
    }
    if (message.type === 'built' && baseBytes(message.base) > largeBytes) hasGarbage = true;
    const { job } = message;
    const waits = waiting.get(job);
    waiting.delete(job);
    if (message.type === 'failed') waits?.reject(new Error(message.message));
    else waits?.resolve(message);
  }

  function request(message: ToBuilder): Promise<FromBuilder> {
    return new Promise((resolve, reject) => {
      if (isClosed) return reject(new Error('the read model is closed'));
      const thread = wake();
      waiting.set(message.job, { resolve, reject });
      unhandled++;
      thread.postMessage(message, []);
    });
  }

  async function requestBase(message: ToBuilder): Promise<Base> {
    const answer = await request(message);
    if (answer.type !== 'built') throw new Error(`unexpected answer of the builder: ${answer.type}`);
    return answer.base;
  }

  async function send(job: number, table: 'nodes' | 'relationships', pieces: AsyncIterable<Uint8Array>) {
    const owner = wake();
    const flow = { pieces: 0, wake: () => {} };
    underWay.set(job, flow);
    try {
      for await (const piece of pieces) {
        // A view may look into a buffer that the driver uses again: copy, then give the copy away.
        const bytes = hasBufferToItself(piece) ? piece : new Uint8Array(piece);
        if (worker !== owner) throw new Error('the thread that builds graphs stopped');
        owner.postMessage({ type: 'rows', job, table, bytes } satisfies ToBuilder, [bytes.buffer]);
        flow.pieces++;
        // oxlint-disable-next-line no-unmodified-loop-condition -- events change all of them
        while (flow.pieces >= MAX_PIECES_UNDER_WAY && worker === owner && !isClosed)
          await new Promise<void>((resolve) => {
            flow.wake = resolve;
          });
      }
    } finally {
      underWay.delete(job);
    }
  }

  return {
    async build({ nodes, relationships, version, nextNodeId, nextRelationshipId }, snapshot) {
      const job = nextJob++;
      try {
        await send(job, 'nodes', nodes);
        await send(job, 'relationships', relationships);
      } catch (error) {
        worker?.postMessage({ type: 'abandon', job } satisfies ToBuilder, []);
        restLater();
        throw error;
      }
      const numbers = { version, nextNodeId, nextRelationshipId };
      return requestBase({ type: 'finish', job, numbers, snapshot });
    },
    rebuild: (base, payloads, snapshot) => requestBase({ type: 'rebuild', job: nextJob++, base, payloads, snapshot }),
    async readSnapshot(place) {
      const answer = await request({ type: 'readSnapshot', job: nextJob++, place });
      if (answer.type === 'built') return answer.base;
      if (answer.type === 'noSnapshot' && answer.reason !== NO_FILE)
        log.warn({ ...place, reason: answer.reason }, 'graph snapshot not used');
      return undefined;
    },
    whenDone: () => (unhandled === 0 ? Promise.resolve() : new Promise((resolve) => waitingForAll.push(resolve))),
    async close() {
      isClosed = true;
      cancelRest?.();
      await worker?.terminate();
    },
  };
}

function hasBufferToItself(piece: Uint8Array): piece is Uint8Array<ArrayBuffer> {
  return piece.buffer instanceof ArrayBuffer && piece.buffer.byteLength === piece.byteLength;
}
