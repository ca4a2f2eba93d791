import { randomFillSync } from 'node:crypto';

/**
 * UUIDs of version 7, ascending within a process: rows made later sort behind rows made before, also within one millisecond and when the
 * clock is set back.
 *
 *   48 bits milliseconds | 7 | 12 bits counter | 10 | 62 random bits
 */
export function createIds(clock: () => number): () => string {
  const pool = Buffer.alloc(8 * 512);
  let offset = pool.length;
  let last = 0;
  let counter = 0;
  return () => {
    const now = clock();
    if (now > last) [last, counter] = [now, 0];
    else if (++counter > 0xfff) [last, counter] = [last + 1, 0];
    if (offset === pool.length) {
      randomFillSync(pool);
      offset = 0;
    }
    const random = pool.toString('hex', offset, offset + 8);
    offset += 8;
    const time = last.toString(16).padStart(12, '0');
    const variant = '89ab'[Number.parseInt(random[0], 16) & 3];
    return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, '0')}-${variant}${random.slice(1, 4)}-${random.slice(4, 16)}`;
  };
}
