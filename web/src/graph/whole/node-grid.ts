export type Box = { left: number; top: number; right: number; bottom: number };

/**
 * Which nodes are where: squares of a few units, each with its nodes one after the other.
 *
 *     starts  0   2   2   5        square 0 holds items 0 and 1, square 1 none, square 2 items 2 to 4
 *     items   7 3     0 9 4
 */
export function createNodeGrid(x: ArrayLike<number>, y: ArrayLike<number>) {
  const count = x.length;
  const [width, height] = [largest(x) + 1, largest(y) + 1];
  const side = Math.max(1, Math.sqrt((width * height * 8) / Math.max(1, count)));
  const [columns, rows] = [Math.ceil(width / side), Math.ceil(height / side)];
  const squareOf = (node: number): number =>
    Math.floor((y[node] ?? 0) / side) * columns + Math.floor((x[node] ?? 0) / side);
  const starts = new Uint32Array(columns * rows + 1);
  for (let node = 0; node < count; node++) starts[squareOf(node) + 1] = (starts[squareOf(node) + 1] ?? 0) + 1;
  for (let square = 0; square < columns * rows; square++)
    starts[square + 1] = (starts[square + 1] ?? 0) + (starts[square] ?? 0);
  const items = new Uint32Array(count);
  const next = starts.slice();
  for (let node = 0; node < count; node++) {
    const square = squareOf(node);
    items[next[square] ?? 0] = node;
    next[square] = (next[square] ?? 0) + 1;
  }

  function* squaresIn({ left, top, right, bottom }: Box): Generator<number> {
    const [firstColumn, lastColumn] = [
      Math.max(0, Math.floor(left / side)),
      Math.min(columns - 1, Math.floor(right / side)),
    ];
    const [firstRow, lastRow] = [Math.max(0, Math.floor(top / side)), Math.min(rows - 1, Math.floor(bottom / side))];
    for (let row = firstRow; row <= lastRow; row++)
      for (let column = firstColumn; column <= lastColumn; column++) yield row * columns + column;
  }

  return {
    width,
    height,
    /** The nodes in and around the box, or undefined when they are more than `most`. */
    within(box: Box, most: number): number[] | undefined {
      const found: number[] = [];
      for (const square of squaresIn(box)) {
        const [start, end] = [starts[square] ?? 0, starts[square + 1] ?? 0];
        if (found.length + end - start > most) return undefined;
        for (let i = start; i < end; i++) found.push(items[i] ?? 0);
      }
      return found;
    },
    /** The node next to a point, if one that is wanted is near enough. */
    nearest(px: number, py: number, reach: number, isWanted: (node: number) => boolean): number | undefined {
      let best: { node: number; distance: number } | undefined;
      const box = { left: px - reach, top: py - reach, right: px + reach, bottom: py + reach };
      for (const square of squaresIn(box)) {
        for (let i = starts[square] ?? 0; i < (starts[square + 1] ?? 0); i++) {
          const node = items[i] ?? 0;
          const distance = Math.hypot((x[node] ?? 0) - px, (y[node] ?? 0) - py);
          if (distance <= reach && distance < (best?.distance ?? Infinity) && isWanted(node)) best = { node, distance };
        }
      }
      return best?.node;
    },
  };
}

export type NodeGrid = ReturnType<typeof createNodeGrid>;

function largest(values: ArrayLike<number>): number {
  let found = 0;
  for (let i = 0; i < values.length; i++) found = Math.max(found, values[i] ?? 0);
  return found;
}
