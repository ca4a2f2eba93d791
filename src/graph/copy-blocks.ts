/** A binary COPY begins with a header of so many bytes (without extension), and ends with a mark. */
export const copyHeaderBytes = 19;
export const copyEnd: Uint8Array = Buffer.from([0xff, 0xff]);

/** Large enough that handing one over costs nothing, small enough that memory for it is found again and again. */
const defaultBlockBytes = 256 * 1024;

/** The bytes of one COPY without the first ones, if they are to be skipped, and without the end mark; in blocks that have their memory to themselves. */
export async function* inBlocks(
  chunks: AsyncIterable<Uint8Array>,
  skipBytes: number,
  blockBytes = defaultBlockBytes,
): AsyncGenerator<Uint8Array> {
  const block = new Uint8Array(blockBytes);
  let filled = 0;
  let skipped = 0;
  for await (const chunk of chunks) {
    let at = Math.min(skipBytes - skipped, chunk.length);
    skipped += at;
    while (at < chunk.length) {
      if (filled === blockBytes) {
        // Not the last bytes: they may be the end mark.
        yield block.slice(0, filled - copyEnd.length);
        block.copyWithin(0, filled - copyEnd.length, filled);
        filled = copyEnd.length;
      }
      const count = Math.min(chunk.length - at, blockBytes - filled);
      block.set(chunk.subarray(at, at + count), filled);
      at += count;
      filled += count;
    }
  }
  if (filled > copyEnd.length) yield block.slice(0, filled - copyEnd.length);
}
