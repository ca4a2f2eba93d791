export function parse(input: string): unknown;
export class SyntaxError extends Error {
  location: { start: { offset: number; line: number; column: number } };
}
