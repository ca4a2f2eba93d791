import {
  type ChunksQuestion,
  cutLabel,
  type DependenciesQuestion,
  dependencyTableChunks,
} from './answer-dependencies.ts';
import { exportChunks } from './answer-export.ts';
import { impactedChunks } from './answer-impacted.ts';
import { listNeighbourPage, type NeighboursQuestion } from './answer-neighbours.ts';
import { type NodeQuestion, nodeChunks } from './answer-node.ts';
import { countLabels, type NodesQuestion, nodesChunks } from './answer-nodes.ts';
import { type OverviewQuestion, overviewChunks } from './answer-overview.ts';
import { type SearchQuestion, searchNodes } from './answer-search.ts';
import { countNeighbours, type Graph } from './graph.ts';
import { countByLabel, countOfLabel, selectInOrder } from './order.ts';
import { findNode } from './overlay.ts';
import { Scratch } from './scratch.ts';
import { findSurroundings, type SurroundingsQuestion } from './surroundings.ts';
import { walkActive, walkImpacted } from './walk.ts';

type OfNode = { label: string; name: string };

export type GraphQuery =
  | { kind: 'labels' }
  | { kind: 'export' }
  | ({ kind: 'nodes' } & NodesQuestion)
  | ({ kind: 'dependencyTable' } & DependenciesQuestion)
  | ({ kind: 'labelChunks' } & ChunksQuestion)
  | ({ kind: 'nodeId' } & OfNode)
  | ({ kind: 'search' } & SearchQuestion)
  | ({ kind: 'overview' } & OverviewQuestion)
  | ({ kind: 'node' } & OfNode & NodeQuestion)
  | ({ kind: 'count' } & OfNode)
  | ({
      kind: 'impacted';
      impactedLabel?: string;
      skip: number;
      limit: number;
      ts: number;
      onlyActive?: boolean;
    } & OfNode)
  | ({ kind: 'impactedAll'; impactedLabel?: string; ts: number; inactive: boolean } & OfNode)
  | ({ kind: 'impactedCount'; impactedLabel?: string } & OfNode)
  | ({ kind: 'impactTotals'; ts: number } & OfNode)
  | ({ kind: 'neighbours' } & OfNode & NeighboursQuestion)
  | ({ kind: 'surroundings' } & OfNode & SurroundingsQuestion);

/** `isFound` is false for an unknown node. `value` is there for the answers that are not written as bytes. */
export type QueryOutcome = { isFound: boolean; value?: unknown };

/** A chunk of the answer, or undefined: a good moment to let others in. */
export type QueryStep = Uint8Array | undefined;

export type ScratchPool = { take(): Scratch; giveBack(scratch: Scratch): void };

const NOT_FOUND: QueryOutcome = { isFound: false };

/** Answers one question, in steps. Whatever it takes from the pool is back there before the first chunk. */
export function* runQuery(graph: Graph, pool: ScratchPool, query: GraphQuery): Generator<QueryStep, QueryOutcome> {
  if (query.kind === 'labels') return { isFound: true, value: countLabels(graph) };
  if (query.kind === 'export') {
    yield* exportChunks(graph);
    return { isFound: true };
  }
  if (query.kind === 'nodes') {
    yield* nodesChunks(graph, query);
    return { isFound: true };
  }
  if (query.kind === 'dependencyTable') {
    yield* dependencyTableChunks(graph, query);
    return { isFound: true };
  }
  if (query.kind === 'labelChunks') return { isFound: true, value: yield* cutLabel(graph, query) };
  if (query.kind === 'search') return { isFound: true, value: yield* searchNodes(graph, query) };
  if (query.kind === 'overview') {
    yield* overviewChunks(graph, query);
    return { isFound: true };
  }
  const node = findNode(graph.base, graph.overlay, query.label, query.name);
  if (node < 0) return NOT_FOUND;
  switch (query.kind) {
    case 'nodeId':
      return { isFound: true, value: node };
    case 'surroundings':
      return { isFound: true, value: yield* findSurroundings(graph, node, query) };
    case 'count':
      return { isFound: true, value: { count: countNeighbours(graph, node, 'out') } };
    case 'impactedCount':
      return { isFound: true, value: { count: yield* countImpacted(graph, pool, node, query.impactedLabel) } };
    case 'impactTotals':
      return { isFound: true, value: yield* totalImpact(graph, pool, node, query.ts) };
    case 'neighbours':
      return { isFound: true, value: yield* listNeighbourPage(graph, node, query) };
    case 'node':
      yield* nodeChunks(graph, node, query);
      break;
    case 'impacted':
    case 'impactedAll': {
      const page =
        query.kind === 'impacted'
          ? { onlyActive: query.onlyActive ?? false, skip: query.skip, limit: query.limit }
          : { onlyActive: !query.inactive, skip: 0, limit: Infinity };
      const wanted = { label: query.impactedLabel, ...page };
      const ordered = yield* withScratch(pool, (scratch) => orderImpacted(graph, scratch, node, query.ts, wanted));
      yield* impactedChunks(graph, ordered, query.impactedLabel === undefined);
    }
  }
  return { isFound: true };
}

function countImpacted(graph: Graph, pool: ScratchPool, node: number, label: string | undefined) {
  return withScratch(pool, function* (scratch) {
    const count = yield* walkImpacted(graph, scratch, node);
    return label === undefined ? count : countOfLabel(graph, scratch.queue, count, label);
  });
}

/** How much breaks with the node: in all, how much of it is active at `ts`, and the same by label. */
function totalImpact(graph: Graph, pool: ScratchPool, node: number, ts: number) {
  return withScratch(pool, function* (scratch) {
    const count = yield* walkImpacted(graph, scratch, node);
    const active = yield* walkActive(graph, scratch, node, ts);
    return { count, active, groups: countByLabel(graph, scratch, count) };
  });
}

function* orderImpacted(
  graph: Graph,
  scratch: Scratch,
  node: number,
  ts: number,
  wanted: { label?: string; onlyActive: boolean; skip: number; limit: number },
): Generator<undefined, Uint32Array> {
  if (wanted.onlyActive) {
    scratch.begin(graph.overlay?.nextNodeId ?? graph.base.nextNodeId);
    const count = yield* walkActive(graph, scratch, node, ts);
    return selectInOrder(graph, scratch, scratch.activeQueue, count, wanted);
  }
  const count = yield* walkImpacted(graph, scratch, node);
  yield* walkActive(graph, scratch, node, ts);
  return selectInOrder(graph, scratch, scratch.queue, count, wanted);
}

function* withScratch<Result>(
  pool: ScratchPool,
  use: (scratch: Scratch) => Generator<undefined, Result>,
): Generator<undefined, Result> {
  const scratch = pool.take();
  try {
    return yield* use(scratch);
  } finally {
    pool.giveBack(scratch);
  }
}

export function createScratchPool(): ScratchPool & { bytes(): number } {
  const free: Scratch[] = [];
  return {
    take: () => free.pop() ?? new Scratch(),
    giveBack(scratch) {
      // Two cover the usual overlap of a long walk with short ones; more would only hold memory.
      if (free.length < 2) free.push(scratch);
    },
    bytes: () => free.reduce((sum, scratch) => sum + scratch.bytes(), 0),
  };
}
