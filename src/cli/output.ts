import type { Answer } from './client.ts';
import { type Column, formatTable } from './table.ts';

export const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** The server's JSON for programs, a sentence or a table for people. */
export function printAnswer<T>(answer: Answer<T>, options: { json?: boolean }, describe: (value: T) => string): void {
  print(options.json ? JSON.stringify(answer.json, undefined, 2) : describe(answer.value));
}

export function describeList<Row>(columns: Column<Row>[], rows: Row[], whenEmpty: string): string {
  if (rows.length === 0) return whenEmpty;
  const isStyled = process.stdout.isTTY && process.stdout.hasColors();
  return formatTable(columns, rows, { isStyled });
}

/** 2026-11-15T02:08:00Z as 2026-11-15 02:08; the column's title says that it is UTC. */
export const minute = (timestamp: string | null): string =>
  timestamp === null ? '-' : timestamp.slice(0, 16).replace('T', ' ');
