/** A line that cannot be taken. */
export type LineFault = { line: number; message: string; text: string };

/** What one request carries: NDJSON from one file. */
export type Portion = {
  body: Buffer;
  /** Of the body. */
  lines: number;
  /** Of the file: where the portion begins and ends. */
  firstLine: number;
  lastLine: number;
  /** Lines of the file that did not even become messages. */
  faults: LineFault[];
  /** Where a line of the body, counted from 1, stood in the file. */
  origin: (bodyLine: number) => { line: number; text: string };
};

export type PortionLimits = { maxLines: number; maxBytes: number };

/** The lines `from` to `to` of a body, both counted from 1 and included. */
export function sliceLines(body: Buffer, from: number, to: number): Buffer {
  const start = endOfLine(body, from - 1);
  return body.subarray(start, start + endOfLine(body.subarray(start), to - from + 1));
}

/** The offset just after the given line. */
function endOfLine(body: Buffer, line: number): number {
  let at = 0;
  for (let count = 0; count < line; count++) {
    const newline = body.indexOf(0x0a, at);
    if (newline < 0) return body.length;
    at = newline + 1;
  }
  return at;
}
