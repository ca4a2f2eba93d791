import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DistinctBytes } from './distinct-bytes.ts';

test('a byte string is found under its number, and equal ones have the same', () => {
  const values = fc.array(fc.uint8Array({ maxLength: 3, max: 9 }), { maxLength: 3000, size: 'max' });
  const isKept = (all: Uint8Array[]) => {
    const distinct = new DistinctBytes();
    const numbers = all.map((value) => distinct.intern(value));
    const { start, bytes } = distinct.finish();
    const found = numbers.map((number) => bytes.subarray(start[number], start[number + 1]).join());
    return (
      found.every((text, i) => text === all[i].join()) &&
      start.length - 1 === new Set(all.map((one) => one.join())).size
    );
  };
  expect(fc.check(fc.property(values, isKept), { numRuns: 30 }).counterexample).toBeNull();
});
