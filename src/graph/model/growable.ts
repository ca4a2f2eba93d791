/** Typed arrays that grow by doubling while rows arrive; `take` cuts them to their length in shared memory. */

export class GrowableU32 {
  values = new Uint32Array(1024);
  length = 0;

  push(value: number): void {
    if (this.length === this.values.length) this.reserve(1);
    this.values[this.length++] = value;
  }

  reserve(more: number): void {
    if (this.length + more <= this.values.length) return;
    const larger = new Uint32Array(Math.max(this.values.length * 2, this.length + more));
    larger.set(this.values.subarray(0, this.length));
    this.values = larger;
  }

  view(): Uint32Array {
    return this.values.subarray(0, this.length);
  }
}

export class GrowableF64 {
  values = new Float64Array(256);
  length = 0;

  push(value: number): void {
    if (this.length === this.values.length) {
      const larger = new Float64Array(this.values.length * 2);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.length++] = value;
  }

  view(): Float64Array {
    return this.values.subarray(0, this.length);
  }
}

export class GrowableBytes {
  bytes = new Uint8Array(4096);
  length = 0;

  reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(this.bytes.length * 2, this.length + more));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
  }

  append(source: Uint8Array, start: number, end: number): void {
    const count = end - start;
    this.reserve(count);
    // Names are short: a loop beats the call overhead of `set` with a fresh view.
    if (count > 64) this.bytes.set(source.subarray(start, end), this.length);
    else for (let i = 0; i < count; i++) this.bytes[this.length + i] = source[start + i];
    this.length += count;
  }

  view(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }
}
