import { parse, SyntaxError as QuerySyntaxError } from './query-parser.js';

/** What a label's quality is made of: its own rule, or the results of other labels. */
export type QosQuery =
  | { kind: 'rule'; name: string }
  | { kind: 'operation'; operator: 'AND' | 'OR'; labels: string[] }
  | { kind: 'operation'; operator: 'ATLEAST' | 'RATIO'; threshold: number; labels: string[] }
  | { kind: 'aggregation'; operator: 'AVERAGE' | 'MIN' | 'MAX'; labels: string[] };

export type QueryFault = { line: number; column: number; message: string };

export function parseQuery(text: string): { query: QosQuery } | { fault: QueryFault } {
  try {
    return { query: parse(text) as QosQuery }; // the grammar's actions build exactly these shapes
  } catch (error) {
    if (!(error instanceof QuerySyntaxError)) throw error;
    const { line, column } = error.location.start;
    return { fault: { line, column, message: error.message } };
  }
}

export function printQuery(query: QosQuery): string {
  if (query.kind === 'rule') return /^\w[\w-]*$/.test(query.name) ? `rule.${query.name}` : `rule.'${query.name}'`;
  const threshold = 'threshold' in query ? `(${query.threshold})` : '';
  return `${query.kind}.${query.operator}${threshold}[${query.labels.join(', ')}]`;
}

export const labelsOf = (query: QosQuery): string[] => (query.kind === 'rule' ? [] : query.labels);
