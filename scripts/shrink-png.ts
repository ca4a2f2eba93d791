import { crc32, deflateSync, inflateSync } from 'node:zlib';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const paletteSize = 256;
/** So many of them by how often they are used. */
const popularSize = 160;

/**
 * The same picture with at most 256 colours, which is enough for a page of text and lines, and a third of the size. Takes what browsers
 * write: 8 bits a channel, with or without alpha, not interlaced. Transparency is not kept.
 */
export function shrinkPng(png: Buffer): Buffer {
  const { width, height, pixels } = decode(png);
  const { palette, indexes } = toPalette(pixels);
  const rows = Buffer.alloc((width + 1) * height); // each row begins with its filter: 0, none
  for (let y = 0; y < height; y++) rows.set(indexes.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8); // 8 bits, palette
  const data = deflateSync(rows, { level: 9 });
  return Buffer.concat([signature, chunk('IHDR', header), chunk('PLTE', palette), chunk('IDAT', data), chunk('IEND')]);
}

/** One number a pixel: 0xrrggbb. */
function decode(png: Buffer): { width: number; height: number; pixels: Uint32Array } {
  const [width, height, type] = [png.readUInt32BE(16), png.readUInt32BE(20), png[25]];
  if (png[24] !== 8 || (type !== 2 && type !== 6) || png[28] !== 0)
    throw new Error('Only what browsers write is understood.');
  const data: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const step = type === 6 ? 4 : 3;
  const bytes = unfilter(inflateSync(Buffer.concat(data)), width * step, height, step);
  const pixels = new Uint32Array(width * height);
  for (let i = 0; i < pixels.length; i++) {
    const at = i * step;
    pixels[i] = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
  }
  return { width, height, pixels };
}

/** Each row says how its bytes were guessed from those to the left, above, and above left. */
function unfilter(raw: Buffer, rowBytes: number, height: number, step: number): Uint8Array {
  const out = new Uint8Array(rowBytes * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (rowBytes + 1)];
    for (let x = 0; x < rowBytes; x++) {
      const at = y * rowBytes + x;
      const left = x >= step ? (out[at - step] ?? 0) : 0;
      const up = y > 0 ? (out[at - rowBytes] ?? 0) : 0;
      const corner = x >= step && y > 0 ? (out[at - rowBytes - step] ?? 0) : 0;
      const guesses = [0, left, up, (left + up) >> 1, paeth(left, up, corner)];
      out[at] = (raw[y * (rowBytes + 1) + 1 + x] ?? 0) + (guesses[filter ?? 0] ?? 0);
    }
  }
  return out;
}

function paeth(left: number, up: number, corner: number): number {
  const [toLeft, toUp, toCorner] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

/** The colours used most, and those that differ most from them; each other one becomes the nearest of these. */
function toPalette(pixels: Uint32Array): { palette: Buffer; indexes: Uint8Array } {
  const counts = new Map<number, number>();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const colours = [...counts].toSorted((a, b) => b[1] - a[1]).map(([colour]) => colour);
  const chosen = colours.slice(0, popularSize);
  const rest = colours.slice(popularSize);
  const gaps = rest.map((colour) => Math.min(...chosen.map((other) => distance(colour, other))));
  while (chosen.length < paletteSize && rest.length > 0) {
    const farthest = gaps.indexOf(gaps.reduce((most, gap) => Math.max(most, gap), 0));
    const [colour = 0] = rest.splice(farthest, 1);
    gaps.splice(farthest, 1);
    chosen.push(colour);
    for (const [index, other] of rest.entries()) gaps[index] = Math.min(gaps[index] ?? 0, distance(colour, other));
  }
  const indexOf = new Map(chosen.map((colour, index) => [colour, index]));
  for (const colour of rest) indexOf.set(colour, nearest(colour, chosen));
  const palette = Buffer.from(chosen.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  return { palette, indexes: Uint8Array.from(pixels, (pixel) => indexOf.get(pixel) ?? 0) };
}

function nearest(colour: number, chosen: readonly number[]): number {
  let [best, least] = [0, Number.POSITIVE_INFINITY];
  for (const [index, other] of chosen.entries()) {
    const far = distance(colour, other);
    if (far < least) [best, least] = [index, far];
  }
  return best;
}

const distance = (one: number, other: number): number =>
  ((one >> 16) - (other >> 16)) ** 2 +
  (((one >> 8) & 255) - ((other >> 8) & 255)) ** 2 +
  ((one & 255) - (other & 255)) ** 2;

function chunk(name: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  out.set(body, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}
