/**
 * The thread that PGlite lives in: in the main thread it would stall the event loop for most of a second under load.
 * It runs one unit of the wire protocol at a time and posts the answer in pieces while the query is still running.
 */
import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { createBackendScanner } from './wire.ts';

export type WorkerSettings = { directory: string; template: string | undefined };
export type WorkerRequest = { kind: 'run'; unit: Uint8Array<ArrayBuffer> } | { kind: 'close' };
export type WorkerReply =
  | { kind: 'ready'; serverVersion: string }
  | { kind: 'bytes'; bytes: Uint8Array }
  | { kind: 'done'; isIdle: boolean; notifications: Uint8Array[] }
  | { kind: 'closed' };

// Large enough that a long answer takes few messages, small enough that the client starts reading early.
const pieceBytes = 256 * 1024;

if (!parentPort) throw new Error('This file runs in a worker thread only.');
const port = parentPort;
const settings: WorkerSettings = workerData;
const reply = (message: WorkerReply, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);

const template = settings.template
  ? new Blob([readFileSync(settings.template)], { type: 'application/gzip' })
  : undefined;
// relaxedDurability concerns only syncToFs, which writes nothing here: NODEFS hands every write to the kernel at once,
// so what was acknowledged survives kill -9. PGlite never syncs to the disk itself.
const pglite = await PGlite.create({ dataDir: settings.directory, loadDataDir: template });
const { rows } = await pglite.query<{ server_version: string }>('show server_version');

const piece = new Uint8Array(pieceBytes);
let pieceFilled = 0;
let notifications: Uint8Array[] = [];
let isIdle = false;

const scan = createBackendScanner({
  onBytes: (bytes) => {
    if (pieceFilled + bytes.length > pieceBytes) postPiece();
    if (bytes.length > pieceBytes) return postBytes(bytes);
    piece.set(bytes, pieceFilled);
    pieceFilled += bytes.length;
  },
  onNotification: (frame) => notifications.push(frame),
  onReady: (status) => {
    isIdle = status === 0x49;
  },
});

function postPiece() {
  if (pieceFilled > 0) postBytes(piece.subarray(0, pieceFilled));
  pieceFilled = 0;
}

/** The bytes lie in memory that is used again, so they are copied once and the copy is handed over. */
function postBytes(bytes: Uint8Array) {
  const copy = bytes.slice();
  reply({ kind: 'bytes', bytes: copy }, [copy.buffer]);
}

async function run(unit: Uint8Array) {
  // A unit that ends with Flush gets no ReadyForQuery: the session stays with its client.
  isIdle = false;
  notifications = [];
  // An exception here leaves PostgreSQL in an unknown state: it ends this thread, and the host starts another.
  await pglite.execProtocolRawStream(unit, { syncToFs: false, onRawData: scan });
  postPiece();
  reply({ kind: 'done', isIdle, notifications });
}

async function close() {
  await pglite.close();
  reply({ kind: 'closed' });
}

port.on('message', (request: WorkerRequest) => {
  void (request.kind === 'run' ? run(request.unit) : close());
});
reply({ kind: 'ready', serverVersion: rows[0]?.server_version ?? 'unknown' });
