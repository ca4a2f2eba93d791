/** Typed arrays over memory that every thread can read. */

export function sharedU8(length: number): Uint8Array {
  return new Uint8Array(new SharedArrayBuffer(length));
}

export function sharedU32(length: number): Uint32Array {
  return new Uint32Array(new SharedArrayBuffer(length * 4));
}

export function sharedF64(length: number): Float64Array {
  return new Float64Array(new SharedArrayBuffer(length * 8));
}

export function toSharedU8(source: Uint8Array): Uint8Array {
  const copy = sharedU8(source.length);
  copy.set(source);
  return copy;
}

export function toSharedF64(source: Float64Array): Float64Array {
  const copy = sharedF64(source.length);
  copy.set(source);
  return copy;
}
