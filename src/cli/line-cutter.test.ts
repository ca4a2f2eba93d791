import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findFaults } from './find-faults.ts';
import { createLineCutter } from './line-cutter.ts';
import type { Portion } from './portion.ts';

function cutAll(chunks: Buffer[], limits: { maxLines: number; maxBytes: number; skipLines?: number }): Portion[] {
  const cutter = createLineCutter(limits);
  return [...chunks.flatMap((chunk) => cutter.push(chunk)), cutter.end()].filter((portion) => portion !== undefined);
}

test('lines come out whole, in order and with their numbers, wherever the bytes were cut', () => {
  const line = fc.string({ unit: fc.constantFrom('a', 'é', '👩', ' '), maxLength: 12 });
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 30 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 7 }),
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: 1, max: 9 }),
      fc.nat(5),
      (lines, endsWithNewline, chunkBytes, maxBytes, maxLines, skipLines) => {
        const text = lines.join('\n') + (endsWithNewline && lines.length > 0 ? '\n' : '');
        const bytes = Buffer.from(text);
        const chunks = Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, index) =>
          bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes),
        );
        const portions = cutAll(chunks, { maxLines, maxBytes, skipLines });
        const expected = text === '' ? [] : text.replace(/\n$/, '').split('\n').slice(skipLines);
        const found = portions.flatMap((portion) =>
          Array.from({ length: portion.lines }, (_, index) => portion.origin(index + 1)),
        );
        expect(found).toEqual(expected.map((each, index) => ({ line: skipLines + index + 1, text: each.trimEnd() })));
        expect(portions.every((portion) => portion.lines <= maxLines)).toBe(true);
      },
    ),
  );
});

test('a line without an end does not fill the memory', () => {
  const chunk = Buffer.alloc(200 * 1024, 'x');
  const [portion] = cutAll([chunk, chunk, chunk, Buffer.from('\nnext\n')], { maxLines: 10, maxBytes: 1024 * 1024 });
  expect(portion?.lines).toBe(2);
  expect(portion?.body.length).toBe(256 * 1024 + 1 + 5);
  expect(portion?.origin(2)).toEqual({ line: 2, text: 'next' });
});

test('every bad line is found though an answer names a hundred at most', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 1500 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      async (count, share) => {
        const lines = Array.from({ length: count }, (_, index) =>
          (index * 7919) % 1000 < share * 1000 ? 'bad' : 'ok',
        );
        const [portion] = cutAll([Buffer.from(lines.join('\n'))], { maxLines: 2000, maxBytes: 1e6 });
        if (!portion) throw new Error('there is a portion');
        const send = async (body: Buffer) => {
          const errors = body
            .toString()
            .split('\n')
            .flatMap((line, index) => (line === 'bad' ? [{ line: index + 1, message: 'no' }] : []));
          return { accepted: 0, unchanged: 0, rejected: errors.length, version: 1, errors: errors.slice(0, 100) };
        };
        const faults = await findFaults(portion, await send(portion.body), send);
        expect(faults.map(({ line }) => line)).toEqual(
          lines.flatMap((line, index) => (line === 'bad' ? [index + 1] : [])),
        );
      },
    ),
    { numRuns: 50 },
  );
});
