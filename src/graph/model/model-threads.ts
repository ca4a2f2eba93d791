import { Worker } from 'node:worker_threads';
import { type ChunkStream, createChunkStream } from './chunk-stream.ts';
import type { Batch } from './prepare.ts';
import type { Prepared } from './prepared.ts';
import type { Answer, FromModel, ToModel } from './protocol.ts';
import type { GraphQuery } from './query.ts';
import { workerUrl } from './worker-url.ts';

export type StreamedAnswer = { version: number; isFound: boolean; chunks: AsyncIterable<Uint8Array> };

export type ModelThreads = {
  broadcast(message: ToModel): void;
  query(teamId: string, query: GraphQuery): Promise<Answer>;
  stream(teamId: string, query: GraphQuery): Promise<StreamedAnswer>;
  prepare(teamId: string, batch: Batch): Promise<Prepared>;
  prepareDelete(teamId: string, label: string, name: string, detach: boolean): Promise<PreparedDelete>;
  rollback(teamId: string): void;
  /** Questions under way, per thread. */
  queued(): number[];
  close(): Promise<void>;
};

export type PreparedDelete = Prepared | 'has_relationships' | undefined;

type ModelThreadsOptions = {
  threads: number;
  log: { warn(fields: object, message: string): void };
  /** What a replaced thread has to be told before it can answer. */
  introduce: (post: (message: ToModel) => void) => void;
  /** A thread could not apply a change to this team. */
  onBroken: (teamId: string, cause: string) => void;
  worker?: URL;
};

/** Chunks a thread may be ahead of a stream's reader. */
const STREAM_CREDITS = 8;

type ToRequest = Exclude<FromModel, { type: 'broken' }>;
type Pending = { receive: (message: ToRequest) => void; fail: (error: Error) => void };
type Thread = { worker: Worker; pending: Map<number, Pending> };

export function createModelThreads(options: ModelThreadsOptions): ModelThreads {
  const { threads: count, log, introduce, onBroken, worker: url = workerUrl('model-worker') } = options;
  let nextId = 1;
  let isClosed = false;
  const threads = Array.from({ length: count }, (_, index) => start(index));

  function start(index: number): Thread {
    const worker = new Worker(url, { execArgv: [] });
    // Open servers and timers keep a process alive, not its helpers.
    worker.unref();
    const thread: Thread = { worker, pending: new Map() };
    let cause = 'it exited';
    worker.on('message', (message: FromModel) => {
      if (message.type === 'broken') onBroken(message.teamId, message.message);
      else thread.pending.get(message.id)?.receive(message);
    });
    worker.on('error', (error) => {
      cause = error instanceof Error ? error.message : String(error);
    });
    worker.on('exit', () => {
      if (!isClosed) {
        log.warn({ cause, failed: thread.pending.size }, 'graph thread replaced');
        const fresh = start(index);
        threads[index] = fresh;
        introduce((message) => fresh.worker.postMessage(message, []));
      }
      for (const { fail } of thread.pending.values()) fail(new Error(`a graph thread stopped: ${cause}`));
      thread.pending.clear();
    });
    return thread;
  }

  function idlest(): Thread {
    let best = threads[0];
    for (const thread of threads) if (thread.pending.size < best.pending.size) best = thread;
    return best;
  }

  /** Always the same thread for a team: it alone knows what is prepared and not yet committed. */
  function writerOf(teamId: string): Thread {
    let hash = 0;
    for (let i = 0; i < teamId.length; i++) hash = (Math.imul(hash, 31) + teamId.charCodeAt(i)) | 0;
    return threads[(hash >>> 0) % threads.length];
  }

  function request(thread: Thread, id: number, message: ToModel, transfer: ArrayBuffer[] = []): Promise<ToRequest> {
    return new Promise((resolve, reject) => {
      if (isClosed) return reject(new Error('the read model is closed'));
      const settle = (done: () => void) => {
        thread.pending.delete(id);
        done();
      };
      thread.pending.set(id, {
        receive: (answer) =>
          settle(() => (answer.type === 'failed' ? reject(new Error(answer.message)) : resolve(answer))),
        fail: (error) => settle(() => reject(error)),
      });
      thread.worker.postMessage(message, transfer);
    });
  }

  return {
    broadcast(message) {
      for (const { worker } of threads) worker.postMessage(message, []);
    },
    query(teamId, query) {
      return new Promise((resolve, reject) => {
        if (isClosed) return reject(new Error('the read model is closed'));
        const id = nextId++;
        const { worker, pending } = idlest();
        pending.set(id, {
          fail: reject,
          receive(message) {
            pending.delete(id);
            if (message.type === 'answer') resolve(message.answer);
            else reject(new Error(message.type === 'failed' ? message.message : `unexpected ${message.type}`));
          },
        });
        worker.postMessage({ type: 'query', id, teamId, query } satisfies ToModel, []);
      });
    },
    stream(teamId, query) {
      return new Promise((resolve, reject) => {
        if (isClosed) return reject(new Error('the read model is closed'));
        const id = nextId++;
        const thread = idlest();
        const { worker, pending } = thread;
        const stream: ChunkStream = createChunkStream({
          askForMore: () => worker.postMessage({ type: 'credit', id } satisfies ToModel, []),
          cancel() {
            pending.delete(id);
            worker.postMessage({ type: 'cancel', id } satisfies ToModel, []);
          },
        });
        const fail = (error: Error) => {
          pending.delete(id);
          stream.fail(error);
          reject(error);
        };
        pending.set(id, {
          fail,
          receive(message) {
            if (message.type === 'chunk') {
              stream.push(message.chunk);
              resolve({ version: message.version, isFound: true, chunks: stream.chunks });
            } else if (message.type === 'end') {
              pending.delete(id);
              stream.end();
              resolve({ version: message.version, isFound: message.isFound, chunks: stream.chunks });
            } else fail(new Error(message.type === 'failed' ? message.message : `unexpected ${message.type}`));
          },
        });
        worker.postMessage({ type: 'stream', id, teamId, query, credits: STREAM_CREDITS } satisfies ToModel, []);
      });
    },
    async prepare(teamId, batch) {
      const id = nextId++;
      const [sent, transfer] = toSend(batch);
      const message = await request(writerOf(teamId), id, { type: 'prepare', id, teamId, batch: sent }, transfer);
      if (message.type !== 'prepared' || typeof message.prepared !== 'object')
        throw new Error(`unexpected answer of a graph thread: ${message.type}`);
      return message.prepared;
    },
    async prepareDelete(teamId, label, name, detach) {
      const id = nextId++;
      const message = await request(writerOf(teamId), id, { type: 'prepareDelete', id, teamId, label, name, detach });
      if (message.type !== 'prepared') throw new Error(`unexpected answer of a graph thread: ${message.type}`);
      return message.prepared;
    },
    rollback: (teamId) => writerOf(teamId).worker.postMessage({ type: 'rollback', teamId } satisfies ToModel, []),
    queued: () => threads.map(({ pending }) => pending.size),
    async close() {
      isClosed = true;
      await Promise.all(threads.map(({ worker }) => worker.terminate()));
    },
  };
}

/** Lines in shared memory are sent as they are. A view may look into a much larger buffer, all of which would be sent: copy, then give the
 * copy away. */
function toSend(batch: Batch): [Batch, ArrayBuffer[]] {
  if (!('ndjson' in batch) || batch.ndjson.buffer instanceof SharedArrayBuffer) return [batch, []];
  const ndjson = new Uint8Array(batch.ndjson);
  return [{ ...batch, ndjson }, [ndjson.buffer]];
}
