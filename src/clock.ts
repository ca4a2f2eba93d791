/** Milliseconds since 1970. Time is an argument everywhere, so that tests can set it. */
export type Clock = () => number;
