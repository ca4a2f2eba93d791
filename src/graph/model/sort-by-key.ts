const DIGIT_BITS = 11;

/**
 * Sorts `rows` by `keyOf[row]`, all below `limit`; rows with the same key keep their order. A counting sort per digit, the lowest first: ids are
 * dense numbers, and a batch of them is in order after two or three passes without a comparison.
 */
export function sortByKey(rows: Uint32Array, keyOf: Uint32Array, limit: number): void {
  let from = rows;
  let into: Uint32Array = new Uint32Array(rows.length);
  for (let shift = 0; limit / 2 ** shift > 1; shift += DIGIT_BITS) {
    const places = new Uint32Array(2 ** DIGIT_BITS + 1);
    const mask = 2 ** DIGIT_BITS - 1;
    for (let i = 0; i < from.length; i++) places[((keyOf[from[i]] >>> shift) & mask) + 1]++;
    for (let digit = 0; digit < mask; digit++) places[digit + 1] += places[digit];
    for (let i = 0; i < from.length; i++) into[places[(keyOf[from[i]] >>> shift) & mask]++] = from[i];
    [from, into] = [into, from];
  }
  if (from !== rows) rows.set(from);
}
