import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';

/** `toEqual`, with the costly matcher only for what differs. */
export function same(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected);
}
