/* oxlint-disable no-console */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DirectedGraph } from 'graphology';
import { type Base, baseBytes } from '../../src/graph/model/base.ts';
import { BaseBuilder } from '../../src/graph/model/base-builder.ts';
import { createNodeReader, createRelationshipReader } from '../../src/graph/model/copy-reader.ts';
import { nodeRows, relationshipRows } from '../../src/graph/model/copy-writer.ts';
import { createScratchPool, type GraphQuery, runQuery } from '../../src/graph/model/query.ts';
import { Scratch } from '../../src/graph/model/scratch.ts';
import { readSnapshot, snapshotPath, writeSnapshot } from '../../src/graph/model/snapshot.ts';
import { walkActive, walkImpacted } from '../../src/graph/model/walk.ts';
import { walkInC } from './c-walk.ts';
import { FOREVER, generateLayeredGraph, type LayeredGraph, NOW, nameOf } from './layered-graph.ts';

/** node bench/graph/kernel.ts [--nodes 1000000] [--edges 5000000] [--rounds 9] [--graphology] */
const { values: options } = parseArgs({
  options: {
    nodes: { type: 'string', default: '1000000' },
    edges: { type: 'string' },
    rounds: { type: 'string', default: '9' },
    graphology: { type: 'boolean', default: false },
  },
});
const nodeCount = Number(options.nodes);
const edgeCount = Number(options.edges ?? nodeCount * 5);
const rounds = Number(options.rounds);
const TEAM = '00000000-0000-4000-8000-000000000000';

console.log(`graph: ${nodeCount} nodes, ${edgeCount} relationships; node ${process.version}, ${process.arch}`);
const generated = generateLayeredGraph(nodeCount, edgeCount);
const copies = encodeRows(generated);

const fromRows = measure(() => buildFromRows(copies));
const base = fromRows.result;
console.log(`build from COPY bytes: ${fromRows.ms.toFixed(0)} ms (${(copies.bytes / 1e6).toFixed(0)} MB of rows)`);
const bytes = baseBytes(base);
const nameBytes = base.names.byteLength;
console.log(
  `memory: ${(bytes / 1e6).toFixed(0)} MB = ${((bytes - edgeBytes(base)) / nodeCount).toFixed(1)} bytes a node ` +
    `(${(nameBytes / nodeCount).toFixed(1)} of them its name) + ${(edgeBytes(base) / edgeCount).toFixed(1)} bytes a relationship`,
);
benchSnapshot(base, fromRows.ms);

const roots = pickRoots(base);
const inC = walkInC(
  base,
  NOW,
  rounds,
  roots.map(({ root }) => root),
);
if (!inC) console.log('no C compiler: no comparison with C');
const measured = roots.map(({ root }) => benchRoot(root));
// Last: its objects fill the heap, and collecting them would slow down everything measured beside it.
if (options.graphology) benchGraphology(measured);

function benchRoot(root: number): { root: number; count: number; all: number } {
  const graph = { base, overlay: undefined };
  const scratch = new Scratch();
  let count = 0;
  const all = best(() => {
    count = drain(walkImpacted(graph, scratch, root));
  });
  let activeCount = 0;
  const active = best(() => {
    scratch.begin(base.nextNodeId);
    activeCount = drain(walkActive(graph, scratch, root, NOW));
  });
  const pool = createScratchPool();
  const of = { label: base.labels[base.nodeLabel[root]], name: nameOf(generated, root) };
  const ask = (query: GraphQuery) => best(() => drain(runQuery(graph, pool, query)));
  const page = ask({ kind: 'impacted', ...of, skip: 0, limit: 25, ts: NOW });
  const filtered = ask({ kind: 'impacted', ...of, impactedLabel: 'Website', skip: 0, limit: 25, ts: NOW });
  const everything = ask({ kind: 'impactedAll', ...of, inactive: true, ts: NOW });
  console.log(`\n${count} impacted, ${activeCount} active:`);
  report(
    'walk all',
    all,
    inC?.find((walk) => walk.root === root && !walk.isActive),
    count,
  );
  report(
    'walk active',
    active,
    inC?.find((walk) => walk.root === root && walk.isActive),
    activeCount,
  );
  console.log(
    `  page of 25: ${page.toFixed(3)} ms, of one label: ${filtered.toFixed(3)} ms, all as bytes: ${everything.toFixed(2)} ms`,
  );
  return { root, count, all };
}

function report(what: string, ms: number, c: { count: number; milliseconds: number } | undefined, count: number): void {
  if (c && c.count !== count) throw new Error(`C finds ${c.count}, not ${count}`);
  const ratio = c ? `; C ${c.milliseconds.toFixed(3)} ms, so ${(c.milliseconds / ms).toFixed(2)} of its speed` : '';
  console.log(`  ${what}: ${ms.toFixed(3)} ms${ratio}`);
}

type Rows = { nodes: Uint8Array[]; relationships: Uint8Array[]; bytes: number };

/** As the database would send it, in pieces. */
function encodeRows(graph: LayeredGraph): Rows {
  const CHUNK = 100_000;
  const nodes: Uint8Array[] = [];
  for (let start = 0; start < nodeCount; start += CHUNK) {
    const rows = Array.from({ length: Math.min(CHUNK, nodeCount - start) }, (_, i) => ({
      id: start + i,
      label: graph.labels[graph.nodeLabel[start + i]],
      name: nameOf(graph, start + i),
      from: graph.nodeFrom[start + i],
      to: graph.nodeTo[start + i] === FOREVER ? null : graph.nodeTo[start + i],
    }));
    nodes.push(asPiece(nodeRows(undefined, rows), start === 0, start + CHUNK >= nodeCount));
  }
  const relationships: Uint8Array[] = [];
  for (let start = 0; start < edgeCount; start += CHUNK) {
    const rows = Array.from({ length: Math.min(CHUNK, edgeCount - start) }, (_, i) => ({
      id: start + i,
      source: graph.source[start + i],
      target: graph.target[start + i],
      facts:
        graph.to[start + i] === FOREVER
          ? [graph.from[start + i]]
          : [graph.from[start + i], -graph.to[start + i] - 1].toSorted((a, b) => (i % 2 === 0 ? a - b : b - a)),
    }));
    relationships.push(asPiece(relationshipRows(undefined, rows), start === 0, start + CHUNK >= edgeCount));
  }
  return { nodes, relationships, bytes: [...nodes, ...relationships].reduce((sum, piece) => sum + piece.length, 0) };
}

function asPiece(rows: Uint8Array, isFirst: boolean, isLast: boolean): Uint8Array {
  return rows.subarray(isFirst ? 0 : 19, isLast ? rows.length : rows.length - 2);
}

function buildFromRows(rows: Rows): Base {
  const builder = new BaseBuilder();
  const nodes = createNodeReader(builder);
  for (const piece of rows.nodes) nodes.push(piece);
  nodes.finish();
  const relationships = createRelationshipReader(builder);
  for (const piece of rows.relationships) relationships.push(piece);
  relationships.finish();
  return builder.finish({ version: 1, nextNodeId: nodeCount, nextRelationshipId: edgeCount });
}

function benchSnapshot(built: Base, buildMs: number): void {
  const directory = mkdtempSync(join(tmpdir(), 'faultline-bench-'));
  try {
    const path = snapshotPath(directory, TEAM);
    const write = measure(() => writeSnapshot(path, TEAM, built));
    const read = measure(() => readSnapshot(path, TEAM));
    if (!read.result.base) throw new Error(read.result.reason);
    const size = (statSync(path).size / 1e6).toFixed(0);
    console.log(
      `snapshot: ${size} MB, written in ${write.ms.toFixed(0)} ms, loaded in ${read.ms.toFixed(0)} ms ` +
        `= ${(read.ms / buildMs).toFixed(2)} of the build from rows that are already here`,
    );
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Roots whose impact is nearest to these sizes, found by trying. */
function pickRoots(built: Base): Array<{ root: number; count: number }> {
  const graph = { base: built, overlay: undefined };
  const scratch = new Scratch();
  const wanted = [10, 1_000, 10_000, 96_000, 700_000].filter((size) => size < nodeCount * 0.8);
  const nearest = wanted.map(() => ({ root: 0, count: Infinity }));
  for (let attempt = 0; attempt < 400; attempt++) {
    // The lowest layers have the largest impact: most attempts look there.
    const root = attempt % 4 !== 0 ? attempt * 3 : (Math.imul(attempt, 2_654_435_761) >>> 0) % nodeCount;
    if (built.nodeFrom[root] > NOW || built.nodeTo[root] < NOW) continue;
    const count = drain(walkImpacted(graph, scratch, root));
    for (const [i, size] of wanted.entries())
      if (Math.abs(count - size) < Math.abs(nearest[i].count - size)) nearest[i] = { root, count };
  }
  return nearest;
}

function toGraphology(graph: LayeredGraph): DirectedGraph {
  const result = new DirectedGraph();
  for (let id = 0; id < nodeCount; id++) result.addNode(id);
  for (let edge = 0; edge < edgeCount; edge++) result.addDirectedEdge(graph.source[edge], graph.target[edge]);
  return result;
}

function benchGraphology(kernel: Array<{ root: number; count: number; all: number }>): void {
  const graph = toGraphology(generated);
  console.log('');
  for (const { root, count, all } of kernel) {
    const found = walkGraphology(graph, root);
    if (found !== count) throw new Error(`graphology finds ${found}, not ${count}`);
    const run = () => void walkGraphology(graph, root);
    // A long walk needs no repeating for the clock's sake.
    const ms = measure(run).ms > 100 ? Math.min(cpuMs(run, 1), cpuMs(run, 1)) : best(run);
    console.log(`graphology, ${count} impacted: ${ms.toFixed(2)} ms, ${(ms / all).toFixed(0)} × the kernel's time`);
  }
}

function walkGraphology(graph: DirectedGraph, root: number): number {
  const seen = new Set([String(root)]);
  const queue = [String(root)];
  for (const node of queue) {
    graph.forEachInNeighbor(node, (next) => {
      if (seen.has(next)) return;
      seen.add(next);
      queue.push(next);
    });
  }
  return queue.length - 1;
}

function edgeBytes(built: Base): number {
  const perEdge = [
    built.outNode,
    built.outFrom,
    built.outTo,
    built.outId,
    built.inNode,
    built.inFrom,
    built.inTo,
    built.inId,
  ];
  const side = [
    built.saidApart,
    built.sideIds,
    built.sideFacts,
    built.sideFactsStart,
    built.sidePeriods,
    built.sidePeriodsStart,
  ];
  return [...perEdge, ...side].reduce((sum, array) => sum + array.byteLength, 0);
}

function drain<Result>(steps: Generator<unknown, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/**
 * The best of the rounds in processor time of this thread, here and in C: on a shared machine everything else measures
 * the neighbours. The clock ticks coarsely, so a round repeats the run until it has taken long enough.
 */
function best(run: () => void): number {
  for (let i = 0; i < 10; i++) run();
  const once = Math.min(...Array.from({ length: 20 }, () => measure(run).ms));
  const repeats = Math.ceil(40 / Math.max(once, 0.0005));
  return Math.min(...Array.from({ length: rounds }, () => cpuMs(run, repeats)));
}

function cpuMs(run: () => void, repeats: number): number {
  const start = process.threadCpuUsage();
  for (let i = 0; i < repeats; i++) run();
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000 / repeats;
}

function measure<Result>(run: () => Result): { ms: number; result: Result } {
  const start = performance.now();
  const result = run();
  return { ms: performance.now() - start, result };
}
