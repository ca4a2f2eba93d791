/** 2026-11-15T02:08:00.123456+00:00: the interface's form of a workflow's times, which a JavaScript date is too coarse for. */
export const wireTime = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"')`;
