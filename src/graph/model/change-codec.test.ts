import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeChange, encodeChange, peekChange } from './change-codec.ts';

const whole = fc.oneof(fc.nat(300), fc.maxSafeNat());
const second = fc.option(fc.oneof(fc.nat(300), fc.maxSafeNat()));
const fact = fc.oneof(
  fc.maxSafeNat(),
  fc.maxSafeNat().map((time) => -time - 1),
  fc.constant(-(2 ** 53 + 2)),
);
const change = fc.record({
  version: whole,
  nextNodeId: whole,
  nextRelationshipId: whole,
  addedNodes: fc.array(
    fc.record({
      id: whole,
      label: fc.constantFrom('App', 'Db'),
      name: fc.string({ unit: 'grapheme', minLength: 1 }),
      from: second,
      to: second,
    }),
  ),
  changedNodes: fc.array(fc.record({ id: whole, from: second, to: second })),
  deletedNodes: fc.array(whole),
  relationships: fc.array(fc.record({ id: whole, source: whole, target: whole, facts: fc.array(fact) })),
  deletedRelationships: fc.array(fc.record({ id: whole, source: whole, target: whole })),
});

it('what is decoded is what was encoded', () => {
  fc.assert(
    fc.property(change, (original) => {
      const payload = encodeChange(original);
      expect(decodeChange(payload)).toEqual(original);
      expect(peekChange(payload).version).toBe(original.version);
    }),
  );
});

it('a payload cut short or of another format is refused', () => {
  const payload = encodeChange({
    version: 1,
    nextNodeId: 1,
    nextRelationshipId: 0,
    addedNodes: [{ id: 0, label: 'App', name: 'shop', from: 1_700_000_000, to: null }],
    changedNodes: [],
    deletedNodes: [],
    relationships: [],
    deletedRelationships: [],
  });
  for (let length = 0; length < payload.length; length++)
    expect(() => decodeChange(payload.subarray(0, length))).toThrow('ends too early');
  expect(() => decodeChange(Uint8Array.of(99, 1, 1))).toThrow('unknown format 99');
});
