/**
 * As much of PostgreSQL's wire protocol (version 3) as the embedded database needs: cutting byte streams into frames.
 *
 *   a frame:  type (1 byte)  length (4 bytes, counts itself and the body)  body
 *   the startup packet alone has no type byte
 */
export const frameType = {
  query: 0x51, // Q
  parse: 0x50, // P
  bind: 0x42, // B
  describe: 0x44, // D
  execute: 0x45, // E
  close: 0x43, // C
  sync: 0x53, // S
  flush: 0x48, // H
  terminate: 0x58, // X
  copyData: 0x64, // d
  copyDone: 0x63, // c
  copyFail: 0x66, // f
  copyInResponse: 0x47, // G
  notification: 0x41, // A
  readyForQuery: 0x5a, // Z
} as const;

const headerBytes = 5;

/** Cuts what a client writes into whole frames, however the bytes were split on their way. */
export function createFrameSplitter(onFrame: (type: number, frame: Buffer) => void): (chunk: Buffer) => void {
  const pending: Buffer[] = [];
  let pendingBytes = 0;
  // Bytes needed before looking again: a frame of many chunks is joined once, not once a chunk.
  let neededBytes = 4;
  let isStarted = false;

  return (chunk) => {
    pending.push(chunk);
    pendingBytes += chunk.length;
    if (pendingBytes < neededBytes) return;
    const bytes = pending.length === 1 ? chunk : Buffer.concat(pending);
    pending.length = 0;
    let at = 0;
    for (;;) {
      const lengthAt = isStarted ? at + 1 : at;
      if (bytes.length < lengthAt + 4) {
        neededBytes = isStarted ? headerBytes : 4;
        break;
      }
      const end = lengthAt + bytes.readUInt32BE(lengthAt);
      if (bytes.length < end) {
        neededBytes = end - at;
        break;
      }
      const frame = bytes.subarray(at, end);
      at = end;
      if (isStarted) onFrame(frame.readUInt8(0), frame);
      else {
        isStarted = true;
        onFrame(0, frame);
      }
    }
    pendingBytes = bytes.length - at;
    if (pendingBytes > 0) pending.push(bytes.subarray(at));
  };
}

type BackendParts = {
  /** Bytes for the client that asked, in order, in pieces that need not be whole frames. */
  onBytes: (bytes: Uint8Array) => void;
  /** One whole NotificationResponse frame: it belongs to whoever listens, not to whoever asked. */
  onNotification: (frame: Uint8Array) => void;
  /** The status byte of ReadyForQuery: `I` idle, `T` in a transaction, `E` in a failed one. */
  onReady: (status: number) => void;
};

/** Follows what the database answers, in pieces of any size, and takes the notifications out. */
export function createBackendScanner({ onBytes, onNotification, onReady }: BackendParts): (chunk: Uint8Array) => void {
  const header = new Uint8Array(headerBytes);
  const headerView = new DataView(header.buffer);
  let headerFilled = 0;
  let bodyLeft = 0;
  let body: number[] | undefined;

  return (chunk) => {
    let at = 0;
    let passFrom = 0;
    while (at < chunk.length) {
      if (bodyLeft === 0) {
        const frameAt = at;
        while (headerFilled < headerBytes && at < chunk.length) header[headerFilled++] = chunk[at++] ?? 0;
        const type = header[0];
        const isCaptured = type === frameType.notification;
        if (isCaptured) {
          if (frameAt > passFrom) onBytes(chunk.subarray(passFrom, frameAt));
          passFrom = at;
        }
        if (headerFilled < headerBytes) break;
        bodyLeft = headerView.getUint32(1) - 4;
        body = isCaptured || type === frameType.readyForQuery ? [] : undefined;
      }
      const take = Math.min(bodyLeft, chunk.length - at);
      if (body) for (let i = at; i < at + take; i++) body.push(chunk[i] ?? 0);
      at += take;
      bodyLeft -= take;
      const isCaptured = header[0] === frameType.notification;
      if (isCaptured) passFrom = at;
      if (bodyLeft > 0) break;
      headerFilled = 0;
      if (isCaptured) onNotification(Uint8Array.from([...header, ...(body ?? [])]));
      else if (body) onReady(body[0] ?? 0);
    }
    if (passFrom < chunk.length) onBytes(chunk.subarray(passFrom));
  };
}

/** A frame of the given type around a body. */
export const frame = (type: number, body: Buffer = Buffer.alloc(0)): Buffer =>
  Buffer.concat([frameHeader(type, body.length), body]);

export function frameHeader(type: number, bodyBytes: number): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.writeUInt8(type, 0);
  header.writeUInt32BE(bodyBytes + 4, 1);
  return header;
}

export const queryFrame = (sql: string): Buffer => frame(frameType.query, Buffer.from(`${sql}\0`));
export const syncFrame: Buffer = frame(frameType.sync);

/** What a server says to a client that connects: welcome, its settings, and that it is idle. */
export function welcomeFrames(parameters: Record<string, string>): Buffer {
  return Buffer.concat([
    frame(0x52, Buffer.alloc(4)), // AuthenticationOk
    ...Object.entries(parameters).map(([name, value]) => frame(0x53, Buffer.from(`${name}\0${value}\0`))),
    frame(frameType.readyForQuery, Buffer.from('I')),
  ]);
}
