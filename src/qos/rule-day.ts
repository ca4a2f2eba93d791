import { andAll, fromSeries, measure, type Point, type Threshold, type Timeline } from './timeline.ts';

/** What a source said about one node and one check. */
export type CheckPoints = {
  checkId: string;
  checkName: string;
  threshold: Threshold;
  fetched: { series: ReadonlyArray<readonly Point[]> } | { failure: string };
};

/** `timeline` is null where nothing is known. */
export type DayFigure = { value: number | null; coverage: number; timeline: Timeline | null };
export type CheckDay = DayFigure & { checkId: string; checkName: string; points: number; failure: string | null };

/**
 * A rule is the AND of its checks at every instant. A check of which nothing is known is left out of it, and lowers the coverage: what
 * a source failed to tell is never good and never bad.
 */
export function evaluateRule(checks: CheckPoints[], dayStart: number): { rule: DayFigure; checks: CheckDay[] } {
  const days = checks.map((check) => evaluateCheck(check, dayStart));
  const known = days.flatMap(({ timeline }) => timeline ?? []);
  const coverage = days.reduce((sum, day) => sum + day.coverage, 0) / Math.max(1, days.length);
  if (known.length === 0) return { rule: { value: null, coverage, timeline: null }, checks: days };
  const timeline = andAll(known);
  return { rule: { value: measure(timeline).value, coverage, timeline }, checks: days };
}

function evaluateCheck({ checkId, checkName, threshold, fetched }: CheckPoints, dayStart: number): CheckDay {
  const unknown = { checkId, checkName, value: null, coverage: 0, timeline: null, points: 0, failure: null };
  if ('failure' in fetched) return { ...unknown, failure: fetched.failure };
  const { timeline, coverage, points } = fromSeries(fetched.series, threshold, dayStart);
  if (points === 0) return unknown;
  return { ...unknown, value: measure(timeline).value, coverage, timeline, points };
}
