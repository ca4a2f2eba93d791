import type { ErrorDetail } from '../errors.ts';
import { labelsOf, parseQuery, type QosQuery } from './query.ts';

/** `{ Label: { qos } }` as the team wrote it. */
export type TeamConfig = Record<string, { qos: string }>;

/** Every fault of a configuration, each with the label and the position in its query. Empty: it may be used. */
export function checkConfig(
  config: TeamConfig,
  known: { graphLabels: ReadonlySet<string>; rules: ReadonlySet<string> },
): ErrorDetail[] {
  const faults: ErrorDetail[] = [];
  const queries = new Map<string, QosQuery>();
  for (const [label, { qos }] of Object.entries(config)) {
    const parsed = parseQuery(qos);
    if ('query' in parsed) queries.set(label, parsed.query);
    else
      faults.push(faultAt(label, `line ${parsed.fault.line}, column ${parsed.fault.column}: ${parsed.fault.message}`));
  }
  for (const [label, query] of queries) {
    if (query.kind === 'rule' && !known.rules.has(query.name)) {
      // The name begins behind `rule.`, with or without a quote.
      const column = positionAt(config[label].qos, config[label].qos.indexOf('.') + 1);
      faults.push(faultAt(label, `${column}: there is no rule "${query.name}"; POST …/rules makes one`));
    }
    for (const used of labelsOf(query)) {
      const column = columnOf(config[label].qos, used);
      if (!Object.hasOwn(config, used) && !known.graphLabels.has(used)) {
        faults.push(faultAt(label, `${column}: the label ${used} is neither in the graph nor in this configuration`));
      } else if (query.kind === 'operation' && queries.get(used)?.kind === 'aggregation') {
        faults.push(faultAt(label, `${column}: ${used} is an aggregation, and an operation cannot work on its result`));
      }
    }
  }
  const cycle = findCycle(queries);
  if (cycle) {
    const [label, next] = cycle;
    faults.push(faultAt(label, `${columnOf(config[label].qos, next)}: ${cycle.join(' → ')} is circular`));
  }
  return faults;
}

const faultAt = (label: string, message: string): ErrorDetail => ({ path: `${label}.qos`, message });

const columnOf = (qos: string, label: string): string =>
  positionAt(qos, Math.max(0, qos.search(new RegExp(`[[,\\s]${label}\\b`)) + 1));

function positionAt(qos: string, offset: number): string {
  const before = qos.slice(0, offset).split('\n');
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

/** The labels of one circle, its first repeated at the end; undefined where there is none. */
function findCycle(queries: ReadonlyMap<string, QosQuery>): string[] | undefined {
  const finished = new Set<string>();
  const path: string[] = [];
  const visit = (label: string): string[] | undefined => {
    const query = queries.get(label);
    if (!query || finished.has(label)) return undefined;
    const start = path.indexOf(label);
    if (start >= 0) return [...path.slice(start), label];
    path.push(label);
    for (const used of labelsOf(query)) {
      const found = visit(used);
      if (found) return found;
    }
    path.pop();
    finished.add(label);
    return undefined;
  };
  for (const label of queries.keys()) {
    const found = visit(label);
    if (found) return found;
  }
  return undefined;
}
