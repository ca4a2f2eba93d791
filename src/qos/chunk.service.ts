import { daySeconds, startOfDay } from './day.ts';
import type { CheckFigure, FiguresStore } from './figures.store.ts';
import type { FigureRow } from './figures.ts';
import type { RollUpQuery } from './roll-up.ts';
import { type CheckPoints, evaluateRule } from './rule-day.ts';
import { queryOf } from './run-plan.ts';
import type { Chunk, Run } from './runs.store.ts';
import type { Timeline } from './timeline.ts';
import { encodeTimeline } from './timeline-bytes.ts';

/** What the sources say about nodes, each with its checks in one order. */
export type FetchRule = (call: {
  teamId: string;
  rule: string;
  label: string;
  nodes: { id: number; name: string }[];
  /** Unix seconds, both included. */
  start: number;
  end: number;
  signal: AbortSignal;
}) => Promise<CheckPoints[][]>;

/** The figures of the nodes of a chunk from those of their dependencies. */
export type RollUpChunk = (call: {
  teamId: string;
  label: string;
  query: RollUpQuery;
  fromNode: number;
  toNode: number | null;
  dayStart: number;
  countsWholeDay: boolean;
  loadFigures: (nodeIds: Iterable<number>) => Promise<FigureRow[]>;
}) => Promise<FigureRow[]>;

export type ChunkService = ReturnType<typeof createChunkService>;

/** Computes a chunk of a run and writes it. */
export function createChunkService(deps: { figures: FiguresStore; fetchRule: FetchRule; rollUp: RollUpChunk }) {
  const { figures } = deps;

  async function computeRule(run: Run, rule: string, chunk: Chunk, signal: AbortSignal) {
    const start = startOfDay(run.day);
    const end = start + daySeconds - 1;
    const nodes = await figures.listNodes(run.team_id, chunk, [start, end]);
    const call = { teamId: run.team_id, rule, label: chunk.label, nodes, start, end, signal };
    const fetched = nodes.length === 0 ? [] : await deps.fetchRule(call);
    const computed: { figures: FigureRow[]; checks: CheckFigure[] } = { figures: [], checks: [] };
    for (const [index, { id }] of nodes.entries()) {
      const { rule: figure, checks } = evaluateRule(fetched[index], start);
      computed.figures.push({ ...figure, id, timeline: bytesOf(figure.timeline) });
      for (const check of checks) computed.checks.push({ ...check, id, timeline: bytesOf(check.timeline) });
    }
    return computed;
  }

  return {
    /** Answers how many nodes have a figure now. */
    async compute(run: Run, chunk: Chunk & { position: number }, signal: AbortSignal): Promise<number> {
      const { label, position } = chunk;
      const query = queryOf(run.config, label);
      const computed =
        query.kind === 'rule'
          ? await computeRule(run, query.name, chunk, signal)
          : { figures: await rollUp(run, query, chunk), checks: [] };
      await figures.writeChunk(run, { position, label, ...computed });
      return computed.figures.length;
    },
  };

  function rollUp(run: Run, query: RollUpQuery, chunk: Chunk): Promise<FigureRow[]> {
    return deps.rollUp({
      teamId: run.team_id,
      label: chunk.label,
      // Dependencies without a query have no figures.
      query: { ...query, labels: query.labels.filter((label) => Object.hasOwn(run.config, label)) },
      fromNode: chunk.from_node,
      toNode: chunk.to_node,
      dayStart: startOfDay(run.day),
      countsWholeDay: run.counts_whole_day,
      loadFigures: (nodeIds) => figures.loadFigures(run, nodeIds),
    });
  }
}

const bytesOf = (timeline: Timeline | null): Uint8Array | null => timeline && encodeTimeline(timeline);
