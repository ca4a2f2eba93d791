import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arrayToLines } from './array-lines.ts';
import { lineBatches, maxLineBytes } from './line-batches.ts';

async function* pieces(bytes: Buffer, sizes: number[]): AsyncGenerator<Uint8Array> {
  for (let start = 0, n = 0; start < bytes.length; n++) {
    const size = sizes[n % sizes.length];
    yield bytes.subarray(start, start + size);
    start += size;
  }
}

const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });

test('however the bytes come, the batches together are the text, cut only after newlines, counted rightly', async () => {
  const text = fc.string({ unit: fc.constantFrom('\n', '\r', 'a', 'é', '😀', '"', ' '), maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(text, sizes, fc.integer({ min: 1, max: 20 }), async (given, parts, batchBytes) => {
      let together = '';
      let line = 1;
      for await (const batch of lineBatches(pieces(Buffer.from(given), parts), batchBytes)) {
        expect(batch.firstLine).toBe(line);
        expect(together === '' || together.endsWith('\n')).toBe(true);
        const own = Buffer.from(batch.bytes).toString();
        expect(batch.lines).toBe(own.split('\n').length - (own.endsWith('\n') ? 1 : 0));
        together += own;
        line += batch.lines;
      }
      expect(together).toBe(given);
    }),
  );
});

test('a line without end is not held, and cannot become another message', async () => {
  const head = '{"source":{"label":"Web","name":"x"},"note":"';
  const long = `${head}${'n'.repeat(3 * maxLineBytes)}"}\n{"second": 2}\n`;
  for (const size of [1000, 64 * 1024, 10 * maxLineBytes]) {
    const lines: string[] = [];
    for await (const batch of lineBatches(pieces(Buffer.from(long), [size]), 1)) {
      expect(batch.bytes.length).toBeLessThan(Math.max(size, maxLineBytes) + maxLineBytes);
      lines.push(...Buffer.from(batch.bytes).toString().split('\n'));
    }
    const [first, ...rest] = lines.filter((line) => line !== '');
    expect(rest).toEqual(['{"second": 2}']);
    expect(() => JSON.parse(first)).toThrow(SyntaxError);
  }
});

test('a JSON array becomes one line an item, whatever the items and however the bytes come', async () => {
  const indent = fc.constantFrom(undefined, 2, '\t');
  await fc.assert(
    fc.asyncProperty(fc.array(fc.jsonValue(), { maxLength: 6 }), indent, sizes, async (items, space, parts) => {
      let text = '';
      const decoder = new TextDecoder();
      for await (const out of arrayToLines(pieces(Buffer.from(JSON.stringify(items, null, space)), parts)))
        text += decoder.decode(out, { stream: true });
      const lines = text.split('\n').slice(0, -1);
      expect(lines.map((line) => JSON.parse(line))).toEqual(JSON.parse(JSON.stringify(items)));
    }),
  );
});

test.each([
  ['', 'it is empty'],
  ['  \n', 'it is empty'],
  ['{}', 'it must begin with "["'],
  ['null', 'it must begin with "["'],
  ['[', 'it ends too early'],
  ['[{}', 'it ends too early'],
  ['[{},', 'it ends too early'],
  ['["]', 'it ends too early'],
  ['[,]', 'an item is missing'],
  ['[{},]', 'an item is missing'],
  ['[{},,{}]', 'an item is missing'],
  ['[]]', 'something follows its end'],
  ['[] []', 'something follows its end'],
  ['[}]', 'a bracket closes that was never opened'],
])('%j is no array: %s', async (text, reason) => {
  const read = async () => {
    for await (const _ of arrayToLines(pieces(Buffer.from(text), [3])));
  };
  await expect(read()).rejects.toThrow(reason);
});
