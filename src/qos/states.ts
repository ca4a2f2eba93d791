/** A day is 86,399 seconds long in sums: from its second 0 to its second 86399, which is its end and has no length. */
export const DAY_SECONDS = 86_399;

export type State = 'unknown' | 'false' | 'true';

/** States as they stand in the two lowest bits of a change. */
export const UNKNOWN = 0;
export const FALSE = 1;
export const TRUE = 2;

export const STATES: readonly State[] = ['unknown', 'false', 'true'];
