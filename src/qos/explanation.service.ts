import type { z } from 'zod';
import { notFound } from '../errors.ts';
import type { GraphService } from '../graph/graph.service.ts';
import { daySeconds, startOfDay } from './day.ts';
import { type Cost, dependenciesOf, explainCosts } from './explain.ts';
import type { ExplainedFigure, ExplanationStore } from './explanation.store.ts';
import type { ExplainedNode, explainedCheck } from './qos.schemas.ts';
import { labelsOf, parseQuery, type QosQuery } from './query.ts';
import { round } from './results.service.ts';
import { type Span, secondsIn } from './spans.ts';
import { FALSE, TRUE } from './states.ts';
import { type Timeline, TimelineBuilder, WHOLE_DAY } from './timeline.ts';
import { decodeTimeline } from './timeline-bytes.ts';

const maxNodes = 300;
const maxDependencies = 10;
const maxSpans = 50;
/** Of one node's dependencies, the worst. */
const maxLooked = 2000;

export type ExplanationService = ReturnType<typeof createExplanationService>;
/** A node that is shown, and which of its seconds are to be explained; null: those of an aggregation, which has none of its own. */
type Open = { shown: ExplainedNode; figure: ExplainedFigure; lost: Timeline | null };
type Day = { teamId: string; day: string; dayStart: number; queries: Map<string, string>; countsWholeDay: boolean };

/** Why a node has its figure: the tree of what it was computed from, level by level, as far as it cost the node something. */
export function createExplanationService(deps: {
  store: ExplanationStore;
  getNodeId: (teamId: string, label: string, name: string) => Promise<number>;
  countedWholeDay: (teamId: string, runId: string) => Promise<boolean>;
  graph: Pick<GraphService, 'dependencyTable'>;
}) {
  const { store } = deps;

  async function explain(
    teamId: string,
    of: { label: string; name: string; day?: string | undefined; depth: number },
  ): Promise<{ day: string; computed_by: string; node: ExplainedNode }> {
    const nodeId = await deps.getNodeId(teamId, of.label, of.name);
    const day = of.day ?? (await store.findNewestDay(teamId, nodeId));
    const [figure] = day === undefined ? [] : await store.listFigures(teamId, day, [nodeId], 1);
    if (day === undefined || !figure) {
      throw notFound(`There is no figure of ${of.label} ${of.name}${day === undefined ? '' : ` on ${day}`}.`);
    }
    const queries = await store.listQueries(teamId, day);
    const countsWholeDay = await deps.countedWholeDay(teamId, figure.runId);
    const about: Day = { teamId, day, dayStart: startOfDay(day), queries, countsWholeDay };
    const [own] = explainCosts(null, [contributorOf(figure, WHOLE_DAY)], about.dayStart);
    const root = open(about, own);
    await grow(about, root, of.depth);
    return { day, computed_by: figure.runId, node: root.shown };
  }

  /** Level by level, so that what is near is told first when there is too much to tell. */
  async function grow(day: Day, root: Open, depth: number): Promise<void> {
    let level = [root];
    let count = 1;
    for (let step = 0; step < depth && level.length > 0; step++) {
      const next: Open[] = [];
      for (const one of level) {
        const found = count < maxNodes ? await expand(day, one, maxNodes - count) : undefined;
        if (!found) one.shown.is_cut = queryOf(day, one.figure.label) !== undefined;
        next.push(...(found ?? []));
        count += found?.length ?? 0;
      }
      level = next;
    }
    for (const { shown, figure } of level) shown.is_cut = queryOf(day, figure.label) !== undefined;
  }

  /** Adds what stands below a node, and answers what may be opened further. */
  async function expand(day: Day, { shown, figure, lost }: Open, room: number): Promise<Open[]> {
    const query = queryOf(day, figure.label);
    if (!query) return [];
    if (query.kind === 'rule') {
      shown.checks = await explainChecks(day, figure, lost);
      return [];
    }
    const windows = await listWindows(day, figure, query);
    const found = await store.listFigures(day.teamId, day.day, [...windows.keys()], maxLooked);
    const contributors = found.map((one) => contributorOf(one, windows.get(one.nodeId) ?? []));
    // Where nothing is known of the node, what nothing is known of is the reason.
    const relevant = explainCosts(lost, contributors, day.dayStart).filter(({ key, costSeconds }) =>
      figure.value === null ? key.figure.value === null : costSeconds > 0,
    );
    const opened = relevant.slice(0, Math.min(maxDependencies, room)).map((cost) => open(day, cost));
    shown.dependencies = opened.map((one) => one.shown);
    const unseen = found.length === maxLooked ? windows.size - found.length : 0;
    shown.dependencies_left_out = relevant.length - opened.length + unseen;
    return opened;
  }

  async function listWindows(
    { teamId, dayStart, queries, countsWholeDay }: Day,
    figure: ExplainedFigure,
    query: QosQuery,
  ) {
    const table = await deps.graph.dependencyTable(teamId, {
      label: figure.label,
      dependencyLabels: labelsOf(query).filter((label) => queries.has(label)),
      fromNode: figure.nodeId,
      toNode: figure.nodeId + 1,
      dayFrom: dayStart,
      dayTo: dayStart + daySeconds - 1,
      wholeDay: countsWholeDay,
      withNames: false,
    });
    // It may have left the graph since.
    const dependencies = table.nodes.length === 0 ? [] : dependenciesOf(table, 0);
    return new Map(dependencies.map(({ id, windows }) => [id, windows]));
  }

  async function explainChecks(day: Day, figure: ExplainedFigure, lost: Timeline | null) {
    const checks = await store.listChecks(day.teamId, day.day, figure.nodeId);
    const contributors = checks.map(({ timeline, ...check }) => ({
      key: check,
      timeline: timeline && decodeTimeline(timeline),
      value: check.value,
    }));
    return explainCosts(lost, contributors, day.dayStart).map(
      (cost): z.infer<typeof explainedCheck> => ({
        ...cost.key,
        coverage: round(cost.key.coverage),
        ...lostOf(cost),
      }),
    );
  }

  return { explain };
}

type Key = { figure: ExplainedFigure; windows: readonly Span[] };

const contributorOf = (figure: ExplainedFigure, windows: readonly Span[]) => ({
  key: { figure, windows },
  timeline: figure.timeline && decodeTimeline(figure.timeline),
  value: figure.value,
  windows,
});

function open({ queries, dayStart }: Day, cost: Cost<Key>): Open {
  const { figure, windows } = cost.key;
  const { label, name, value, coverage } = figure;
  return {
    figure,
    lost: figure.timeline && lostTimeline(cost.spans, dayStart),
    shown: {
      label,
      name,
      query: queries.get(label) ?? null,
      value,
      coverage: round(coverage),
      counted_seconds: secondsIn(windows),
      ...lostOf(cost),
    },
  };
}

/** Only the seconds that cost something above are explained further down. */
function lostTimeline(spans: Cost<Key>['spans'], dayStart: number): Timeline {
  const builder = new TimelineBuilder();
  builder.change(0, TRUE);
  for (const [from, to] of spans) {
    builder.change(from - dayStart, FALSE);
    builder.change(to - dayStart, TRUE);
  }
  return builder.finish();
}

function lostOf({ costSeconds, spans }: Omit<Cost<unknown>, 'key'>) {
  const shown = spans.slice(0, maxSpans);
  return { cost_seconds: costSeconds, spans: shown, spans_left_out: spans.length - shown.length };
}

function queryOf({ queries }: Day, label: string): QosQuery | undefined {
  const parsed = parseQuery(queries.get(label) ?? '');
  return 'query' in parsed ? parsed.query : undefined;
}
