import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createBackendScanner, createFrameSplitter, frame, frameType } from './wire.ts';

const bodies = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes));
const startup = Buffer.from([0, 0, 0, 9, 0, 3, 0, 0, 0]);

/** The same bytes, cut anywhere, into pieces of any size. */
function cut(bytes: Buffer, sizes: number[]): Buffer[] {
  const pieces: Buffer[] = [];
  let at = 0;
  for (const size of sizes) {
    if (at >= bytes.length) break;
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return [...pieces, bytes.subarray(at)];
}

const isNotification = (bytes: Buffer) => bytes[0] === frameType.notification;

const frames = (types: number[]) =>
  fc.array(
    fc.tuple(fc.constantFrom(...types), bodies).map(([type, body]) => frame(type, body)),
    { maxLength: 12 },
  );
const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 100 });

test('frames of a client come out whole however the bytes were cut', () => {
  fc.assert(
    fc.property(frames(Object.values(frameType)), sizes, (sent, cuts) => {
      const received: Buffer[] = [];
      const split = createFrameSplitter((type, bytes) => {
        expect(type).toBe(received.length === 0 ? 0 : bytes[0]);
        received.push(Buffer.from(bytes));
      });
      for (const piece of cut(Buffer.concat([startup, ...sent]), cuts)) split(piece);
      expect(received).toEqual([startup, ...sent]);
    }),
  );
});

test('an answer cut anywhere loses its notifications to those who listen and nothing else', () => {
  const row = 0x44;
  const answers = fc.array(
    fc.oneof(
      bodies.map((body) => frame(row, body)),
      bodies.map((body) => frame(frameType.notification, body)),
      fc.constantFrom('I', 'T', 'E').map((status) => frame(frameType.readyForQuery, Buffer.from(status))),
    ),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(answers, sizes, (sent, cuts) => {
      const passed: Buffer[] = [];
      const notifications: Buffer[] = [];
      const statuses: string[] = [];
      const scan = createBackendScanner({
        onBytes: (bytes) => passed.push(Buffer.from(bytes)),
        onNotification: (bytes) => notifications.push(Buffer.from(bytes)),
        onReady: (status) => statuses.push(String.fromCharCode(status)),
      });
      for (const piece of cut(Buffer.concat(sent), cuts)) scan(piece);
      expect(Buffer.concat(passed)).toEqual(Buffer.concat(sent.filter((bytes) => !isNotification(bytes))));
      expect(notifications).toEqual(sent.filter(isNotification));
      expect(statuses).toEqual(
        sent.filter((bytes) => bytes[0] === frameType.readyForQuery).map((bytes) => bytes.toString('latin1', 5)),
      );
    }),
  );
});

test('a frame that comes in many small pieces is joined once', () => {
  const large = frame(frameType.copyData, Buffer.alloc(2_000_000));
  const received: Buffer[] = [];
  const split = createFrameSplitter((_, bytes) => received.push(bytes));
  split(startup);
  for (let at = 0; at < large.length; at += 100) split(large.subarray(at, at + 100));
  expect(received[1]?.length).toBe(large.length);
});
