import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { sortByKey } from './sort-by-key.ts';

it('sorts rows by their keys, however large, and leaves equal ones in their order', () => {
  const limits = fc.constantFrom(1, 2, 2047, 2048, 2049, 2 ** 22, 2 ** 22 + 1, 2 ** 26, 2 ** 32);
  const cases = limits.chain((limit) => fc.tuple(fc.constant(limit), fc.array(fc.nat(limit - 1), { maxLength: 300 })));
  fc.assert(
    fc.property(cases, ([limit, keys]) => {
      const rows = Uint32Array.from(keys, (_, at) => keys.length - 1 - at);
      const expected = [...rows].toSorted((a, b) => keys[a] - keys[b]);
      sortByKey(rows, Uint32Array.from(keys), limit);
      expect([...rows]).toEqual(expected);
    }),
    { numRuns: 500 },
  );
});
