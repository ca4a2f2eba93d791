import fc from 'fast-check';
import { expect, test } from 'vitest';
import { copyEnd, inBlocks } from './copy-blocks.ts';

const collect = async (source: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> => {
  const blocks: Uint8Array[] = [];
  for await (const block of source) blocks.push(block);
  return blocks;
};

test('however a portion was cut on its way, its blocks are what it has between header and end mark', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 60 }),
      fc.integer({ min: 0, max: 19 }),
      fc.integer({ min: 3, max: 20 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
      async (rows, headerBytes, blockBytes, sizes) => {
        const whole = Buffer.concat([Buffer.alloc(headerBytes, 7), rows, copyEnd]);
        async function* chunks() {
          for (let at = 0, i = 0; at < whole.length; at += sizes[i++ % sizes.length])
            yield whole.subarray(at, at + sizes[i % sizes.length]);
        }
        const blocks = await collect(inBlocks(chunks(), headerBytes, blockBytes));
        expect(Buffer.concat(blocks)).toEqual(Buffer.from(rows));
        for (const block of blocks) expect(block.buffer.byteLength).toBe(block.length);
      },
    ),
  );
});
