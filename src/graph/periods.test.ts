import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addFact, type Facts, isActiveAt, overlaps, periodsOf, type Rel, removeFact } from './periods.ts';

const always: Rel = {};

function periodsAfter(...rels: Rel[]) {
  const facts = rels.reduce<Facts | null>(addFact, null);
  return facts === null ? undefined : periodsOf(facts);
}

describe('periods', () => {
  it.each<[Rel[], number[]]>([
    [[always], []],
    [[{ from: 100 }], [100]],
    [[{ from: 0 }], [0]],
    [
      [{ from: 100 }, { to: 200 }],
      [100, 200],
    ],
    [
      [{ to: 200 }, { from: 100 }],
      [100, 200],
    ],
    [
      [{ from: 100 }, { from: 100, to: 200 }],
      [100, 200],
    ],
    [
      [
        { from: 100, to: 200 },
        { from: 150, to: 300 },
      ],
      [100, 300],
    ],
    [
      [
        { from: 100, to: 200 },
        { from: 200, to: 300 },
      ],
      [100, 300],
    ],
    [
      [
        { from: 100, to: 200 },
        { from: 201, to: 300 },
      ],
      [100, 200, 201, 300],
    ],
    [[{ to: 200 }], [0, 200]],
    [[{ to: 0 }], [0, 0]],
    [
      [always, { to: 200 }],
      [0, 200],
    ],
    [
      [always, { to: 0 }],
      [0, 0],
    ],
    [
      [always, { to: 200, from: 300 }],
      [0, 200, 300],
    ],
    [
      [{ from: 100 }, { to: 200, from: 300 }],
      [100, 200, 300],
    ],
    [[{ from: 100 }, { to: 200 }, { from: 200 }], [100]],
    [[always, { to: 200 }, { from: 200 }], []],
    [[{ from: 100 }, { from: 150 }], [100]],
    [[{ from: 100, to: 100 }], [100, 100]],
    [
      [{ to: Number.MAX_SAFE_INTEGER }, { from: Number.MAX_SAFE_INTEGER - 1 }],
      [Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER],
    ],
  ])('%j gives %j', (rels, periods) => {
    expect(periodsAfter(...rels)).toEqual(periods);
  });

  it('a repeated message keeps the very same facts', () => {
    const facts = addFact(addFact(null, { from: 100 }), { to: 200 });
    expect(addFact(facts, { to: 200 })).toBe(facts);
  });

  it('encodes the commonest facts in at most two numbers', () => {
    expect(addFact(null, undefined)).toEqual([]);
    expect(addFact(null, { from: 100 })).toEqual([100]);
    expect(addFact(null, { from: 100, to: 200 })).toEqual([100, -201]);
    expect(addFact(addFact(null, { from: 100 }), { to: 200 })).toEqual([-201, 100]);
  });
});

const time = fc.integer({ min: 0, max: 12 });
const rel: fc.Arbitrary<Rel> = fc.oneof(
  fc.constant(always),
  fc.record({ from: time }),
  fc.record({ to: time }),
  fc.record({ from: time, to: time }),
);

describe('laws of facts', () => {
  it('any order and any repetition gives the same facts', () => {
    const shuffled = fc
      .array(rel, { minLength: 1, maxLength: 8 })
      .chain((rels) =>
        fc.tuple(
          fc.constant(rels),
          fc.shuffledSubarray([...rels, ...rels], { minLength: 2 * rels.length, maxLength: 2 * rels.length }),
        ),
      );
    fc.assert(
      fc.property(shuffled, ([rels, again]) => {
        expect(again.reduce<Facts | null>(addFact, null)).toEqual(rels.reduce<Facts | null>(addFact, null));
      }),
      { numRuns: 1000 },
    );
  });

  it('periods equal a second-by-second reading of the facts', () => {
    fc.assert(
      fc.property(fc.array(rel, { minLength: 1, maxLength: 7 }), (rels) => {
        const periods = periodsOf(rels.reduce<Facts | null>(addFact, null) ?? []);
        const expected = openSeconds(rels, 15);
        expect(expected.map((_, second) => isActiveAt(periods, second))).toEqual(expected);
        for (let i = 1; i < periods.length; i++) {
          const isTouching = i % 2 === 0 && periods[i] === periods[i - 1];
          expect(periods[i] >= periods[i - 1] && !isTouching).toBe(true);
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('what is taken back leaves what the other messages said, and nothing when all is taken back', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.record({ from: time }), { minLength: 1, selector: (r) => r.from }), (rels) => {
        const [first, ...others] = rels;
        const all = rels.reduce<Facts | null>(addFact, null) ?? [];
        expect(removeFact(all, first)).toEqual(others.reduce<Facts | null>(addFact, null));
        const nothing = rels.reduce<Facts | null>((facts, r) => (facts === null ? null : removeFact(facts, r)), all);
        expect(nothing).toBeNull();
      }),
    );
  });

  it('taking back what was never said changes nothing', () => {
    const facts = addFact(null, { from: 100, to: 200 });
    expect(removeFact(facts, { from: 100 })).toBe(facts);
    expect(removeFact(facts, always)).toBe(facts);
    expect(removeFact(addFact(facts, always), always)).toEqual(facts);
  });
});

it('a range overlaps a period at both its ends', () => {
  expect(overlaps([100, 200], 200, 300)).toBe(true);
  expect(overlaps([100, 200], 0, 100)).toBe(true);
  expect(overlaps([100, 200], 201, 300)).toBe(false);
  expect(overlaps([100, 200, 300], 201, 299)).toBe(false);
  expect(overlaps([100, 200, 300], 400, 500)).toBe(true);
  expect(overlaps([], 0, 0)).toBe(true);
});

/** The rules of the contract, read one second at a time. */
function openSeconds(rels: Rel[], seconds: number): boolean[] {
  const isAlways = rels.some((r) => r.from === undefined && r.to === undefined);
  const isOpenedEver = isAlways || rels.some((r) => r.from !== undefined);
  const open = Array.from({ length: seconds }, () => false);
  let isOpen = isAlways || !isOpenedEver;
  for (let second = 0; second < seconds; second++) {
    const opens = rels.some((r) => !isSpan(r) && r.from === second);
    const closes = rels.some((r) => r.to === second);
    if (opens) isOpen = true;
    open[second] = isOpen || rels.some((r) => isSpan(r) && (r.from ?? 0) <= second && second <= (r.to ?? 0));
    if (closes && !opens) isOpen = false;
  }
  return open;
}

function isSpan({ from, to }: Rel): boolean {
  return from !== undefined && to !== undefined && from <= to;
}
