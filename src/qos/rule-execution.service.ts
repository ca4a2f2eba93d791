import { conflict, notFound } from '../errors.ts';
import type { FetchedCheck, FetchService } from './fetch.service.ts';
import type { CheckToFetch } from './fetch.store.ts';
import { DAY_SECONDS, type State } from './states.ts';
import { printThreshold } from './threshold.ts';
import { changesOf, fromChecks, fromSeries, measure, percentOf, type Timeline } from './timeline.ts';

export type RuleExecutionService = ReturnType<typeof createRuleExecution>;
export type Execution = { label: string; name: string; start: number; end: number };
type Figure = { timeline: Timeline; coverage: number };

const mostPoints = 2000;
const mostSeries = 100;
const mostSpans = 1000;
const withinMs = 60_000;

/** Tries a rule out on one node: what its checks find, and what comes of it. Nothing is kept. */
export function createRuleExecution({ fetch }: { fetch: FetchService }) {
  return {
    async execute(teamId: string, ruleId: string, { label, name, start, end }: Execution) {
      const rule = await fetch.findRule(teamId, { id: ruleId });
      if (!rule) throw notFound('There is no such rule; GET …/rules lists them.');
      const range = { label, names: [name], start, end };
      // Whoever waits for the answer wants to see the first failure, not the third.
      const signal = AbortSignal.timeout(withinMs);
      const found = await fetch.fetchChecks(teamId, rule, range, { tries: 1, signal }).catch((error: unknown) => {
        if (!signal.aborted) throw error;
        throw conflict('The sources did not answer within a minute; try a shorter range, or try again later.');
      });
      const checks = rule.checks.map((check, index) => judge(check, found[index][0], start, end));
      const { timeline, coverage } = fromChecks(checks);
      return {
        rule: { id: rule.id, name: rule.name },
        label,
        name,
        start,
        end,
        ...shown({ timeline, coverage }, start, end),
        checks: checks.map(({ check, fetched, ...figure }) => ({
          id: check.id,
          name: check.name,
          threshold: printThreshold(check),
          query: fetched.query,
          failure: 'failure' in fetched ? fetched.failure : null,
          ...shown(figure, start, end),
          ...shownSeries(fetched),
        })),
      };
    },
  };
}

/** A timeline is a day long; of a shorter range only its part is looked at. */
function judge(check: CheckToFetch, fetched: FetchedCheck, start: number, end: number) {
  const series = 'series' in fetched ? fetched.series.map(({ points }) => points) : [];
  const threshold = { low: check.low, high: check.high, isFilled: check.is_filled };
  const { timeline, coverage } = fromSeries(series, threshold, start);
  return { check, fetched, timeline, coverage: Math.min(100, (coverage * DAY_SECONDS) / lengthOf(start, end)) };
}

/** As in a day, the last second is the end and has no length of its own. */
const lengthOf = (start: number, end: number): number => Math.min(end - start, DAY_SECONDS);

function shown({ timeline, coverage }: Figure, start: number, end: number) {
  const to = lengthOf(start, end);
  const changes = changesOf(timeline).filter(({ at }) => at < to);
  const spans = changes.slice(0, mostSpans).map(({ at, state }, index): { from: number; to: number; state: State } => ({
    from: start + at,
    to: start + (changes[index + 1]?.at ?? to),
    state,
  }));
  const { trueSeconds, knownSeconds } = measure(timeline, [{ from: 0, to }]);
  return {
    value: percentOf(trueSeconds, knownSeconds),
    coverage: Math.round(coverage * 1000) / 1000,
    timeline: spans,
    timeline_cut: changes.length > mostSpans,
  };
}

function shownSeries(fetched: FetchedCheck) {
  const all = 'series' in fetched ? fetched.series : [];
  let room = mostPoints;
  const series = all.slice(0, mostSeries).map(({ labels, points }) => {
    const some = points.slice(0, room);
    room -= some.length;
    return { labels, points_count: points.length, points: some };
  });
  return { series, series_count: all.length };
}
