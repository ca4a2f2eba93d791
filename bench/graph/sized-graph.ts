import type { Base } from '../../src/graph/model/base.ts';
import { Scratch } from '../../src/graph/model/scratch.ts';
import { walkImpacted } from '../../src/graph/model/walk.ts';
import { drain } from './cpu-time.ts';
import { toBase } from './graph-rows.ts';
import { generateLayeredGraph, type LayeredGraph, NOW, nameOf } from './layered-graph.ts';

/** A generated graph of so many nodes and five times as many relationships, with the arrays that walk it. */
export type SizedGraph = { title: string; graph: LayeredGraph; base: Base };

/** A node, and how many depend on it. */
export type Root = { id: number; label: string; name: string; impacted: number };

const made = new Map<number, SizedGraph>();

/** The size that most cases use; the same object every time. */
export const mainGraph = (isQuick: boolean): SizedGraph => sizedGraph(isQuick ? 100_000 : 1_000_000);

export function sizedGraph(nodes: number): SizedGraph {
  let sized = made.get(nodes);
  if (!sized) {
    const graph = generateLayeredGraph(nodes, nodes * 5);
    sized = { title: `${short(nodes)}/${short(nodes * 5)}`, graph, base: toBase(graph) };
    made.set(nodes, sized);
  }
  return sized;
}

/** Gives back the memory of a graph that no other case needs. */
export const forgetGraph = (nodes: number): void => void made.delete(nodes);

/** The root whose impact is nearest to that size: most attempts look at the lowest layers, where it is largest. */
export function findRoot({ graph, base }: SizedGraph, wanted: number): Root {
  let nearest = { id: 0, impacted: Infinity };
  for (let attempt = 0; attempt < 400; attempt++) {
    const id = attempt % 4 === 0 ? scatter(attempt, base.nodeCount) : attempt * 3;
    const impacted = countImpacted(base, id);
    if (Math.abs(impacted - wanted) < Math.abs(nearest.impacted - wanted)) nearest = { id, impacted };
  }
  return toRoot(graph, nearest.id, nearest.impacted);
}

/** So many roots with an impact within a tenth of that size, from all over the graph. */
export function findRoots({ graph, base }: SizedGraph, wanted: number, count: number): Root[] {
  const roots: Root[] = [];
  for (let attempt = 1; roots.length < count; attempt++) {
    if (attempt > 100_000) throw new Error(`There are not ${count} nodes with an impact of about ${wanted}.`);
    const id = scatter(attempt, base.nodeCount);
    const impacted = countImpacted(base, id);
    if (Math.abs(impacted - wanted) <= wanted / 10) roots.push(toRoot(graph, id, impacted));
  }
  return roots;
}

const scratch = new Scratch();

/** None for a node that is not active: half of the questions would have nothing to do. */
function countImpacted(base: Base, id: number): number {
  if (base.nodeFrom[id] > NOW || base.nodeTo[id] < NOW) return 0;
  return drain(walkImpacted({ base, overlay: undefined }, scratch, id));
}

function toRoot(graph: LayeredGraph, id: number, impacted: number): Root {
  return { id, label: graph.labels[graph.nodeLabel[id]], name: nameOf(graph, id), impacted };
}

const scatter = (attempt: number, count: number): number => (Math.imul(attempt, 2_654_435_761) >>> 0) % count;

const short = (count: number): string => (count >= 1_000_000 ? `${count / 1_000_000}M` : `${count / 1_000}k`);
