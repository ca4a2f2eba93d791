/**
 * A relationship stores *facts*, what messages said about it, and its periods follow from them. Facts are sets, so
 * any order and any repetition of messages converges.
 *
 *   message              fact
 *   no rel, {}           always
 *   {from: 100}          an opening
 *   {to: 200}            a closing
 *   {from: 100, to: 200} a span
 *   {to: 200, from: 300} a closing and an opening
 *
 * Facts are one flat list that fits a `bigint[]` column, and equal facts are equal lists:
 *
 *   [ALWAYS?] closings… openings… spans…      each part ascending and without repetition
 *
 * A moment `t` that opens is written `t`, one that closes is written `-(t + 1)` (SQL: `~t`). An opening directly
 * before a closing is a span, so `[100, -201]` is the span 100 to 200 and `[-201, 100]` are two separate moments.
 * "Always" alone is the empty list; the marker ALWAYS only appears beside other facts.
 */
export type Facts = readonly number[];

/** `from`, `to`, `from`, `to`, …; an odd count is still open, the empty list is always. */
export type Periods = readonly number[];

export type Rel = { from?: number; to?: number };

/** Below every encoded closing, and even, so that a double holds it exactly. */
const ALWAYS = -(2 ** 53 + 2);
const NO_FACTS_BUT_ALWAYS: Facts = [];

type Sets = { always: boolean; closings: number[]; openings: number[]; spans: Array<[from: number, to: number]> };

export function factsOf(rel: Rel | undefined): Facts {
  const from = rel?.from;
  const to = rel?.to;
  if (from === undefined) return to === undefined ? NO_FACTS_BUT_ALWAYS : [closing(to)];
  if (to === undefined) return [from];
  return from <= to ? [from, closing(to)] : [closing(to), from];
}

/** The facts with one message more; the same reference when it says nothing new. `null` is "no relationship yet". */
export function addFact(facts: Facts | null, rel: Rel | undefined): Facts {
  const said = factsOf(rel);
  if (facts === null) return said;
  if (equalFacts(facts, said)) return facts;
  const sets = decode(facts);
  const more = decode(said);
  let changed = false;
  if (more.always && !sets.always) {
    sets.always = true;
    changed = true;
  }
  for (const time of more.closings) changed = insert(sets.closings, time) || changed;
  for (const time of more.openings) changed = insert(sets.openings, time) || changed;
  for (const span of more.spans) changed = insertSpan(sets.spans, span) || changed;
  return changed ? encode(sets) : facts;
}

/** The facts without what one message said; the same reference when it was never said, `null` when nothing is left. */
export function removeFact(facts: Facts, rel: Rel | undefined): Facts | null {
  const said = factsOf(rel);
  if (equalFacts(facts, said)) return null;
  const sets = decode(facts);
  const less = decode(said);
  let changed = false;
  if (less.always && sets.always) {
    sets.always = false;
    changed = true;
  }
  for (const time of less.closings) changed = remove(sets.closings, time) || changed;
  for (const time of less.openings) changed = remove(sets.openings, time) || changed;
  for (const span of less.spans) changed = removeSpan(sets.spans, span) || changed;
  if (!changed) return facts;
  const isEmpty = !sets.always && sets.closings.length + sets.openings.length + sets.spans.length === 0;
  return isEmpty ? null : encode(sets);
}

/** Messages that say these facts again, one `rel` each; undefined is "always". */
export function relsOf(facts: Facts): Array<Rel | undefined> {
  const { always, closings, openings, spans } = decode(facts);
  return [
    ...(always ? [undefined] : []),
    ...closings.map((to) => ({ to })),
    ...openings.map((from) => ({ from })),
    ...spans.map(([from, to]) => ({ from, to })),
  ];
}

function equalFacts(a: Facts, b: Facts): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/**
 *   openings   100        300            a period opens at each opening, closes at each closing or end of a span
 *   closings        200        400
 *   periods    [───────]  [───────]      and holds at both its ends
 */
export function periodsOf(facts: Facts): Periods {
  const first = facts[0];
  if (facts.length === 0) return [];
  if (facts.length === 1 && first !== undefined) return first >= 0 ? [first] : [0, -first - 1];
  if (facts.length === 2 && first !== undefined && first >= 0 && facts[1] < 0) return [first, -facts[1] - 1];
  const sets = decode(facts);
  const merged = mergePeriods([...timeline(sets), ...sets.spans]);
  if (sets.always && merged.length === 1 && merged[0][0] === 0 && merged[0][1] === Infinity) return [];
  return merged.flatMap(([from, to]) => (to === Infinity ? [from] : [from, to]));
}

export function isActiveAt(periods: Periods, ts: number): boolean {
  return overlaps(periods, ts, ts);
}

/** Whether some second between `from` and `to`, both included, lies in a period. */
export function overlaps(periods: Periods, from: number, to: number): boolean {
  if (from > to) return false;
  if (periods.length === 0) return true;
  for (let i = 0; i < periods.length; i += 2) {
    const end = i + 1 < periods.length ? periods[i + 1] : Infinity;
    if (periods[i] <= to && end >= from) return true;
  }
  return false;
}

function timeline(sets: Sets): Array<[from: number, to: number]> {
  const opens = new Set(sets.openings);
  const closes = new Set([...sets.closings, ...sets.spans.map(([, to]) => to)]);
  const moments = [...new Set([...opens, ...closes])].toSorted(ascending);
  // Only closings: it was open before, since when nobody said. Its opening may still arrive.
  const isOpenSinceEver = sets.always || sets.openings.length + sets.spans.length === 0;
  const result: Array<[from: number, to: number]> = [];
  let openedAt = isOpenSinceEver ? 0 : -1;
  for (const moment of moments) {
    if (opens.has(moment)) {
      // Closed and opened in the same second: stays open.
      if (openedAt < 0) openedAt = moment;
    } else if (openedAt >= 0) {
      result.push([openedAt, moment]);
      openedAt = -1;
    }
  }
  if (openedAt >= 0) result.push([openedAt, Infinity]);
  return result;
}

function mergePeriods(periods: Array<[from: number, to: number]>): Array<[from: number, to: number]> {
  const merged: Array<[from: number, to: number]> = [];
  for (const [from, to] of periods.toSorted((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

function decode(facts: Facts): Sets {
  const sets: Sets = { always: facts.length === 0, closings: [], openings: [], spans: [] };
  let i = 0;
  if (facts[0] === ALWAYS) {
    sets.always = true;
    i = 1;
  }
  for (; i < facts.length && facts[i] < 0; i++) sets.closings.push(-facts[i] - 1);
  for (; i < facts.length; i++) {
    if (i + 1 < facts.length && facts[i + 1] < 0) {
      sets.spans.push([facts[i], -facts[i + 1] - 1]);
      i++;
    } else sets.openings.push(facts[i]);
  }
  return sets;
}

function encode(sets: Sets): Facts {
  const facts = sets.closings.map(closing);
  for (const time of sets.openings) facts.push(time);
  for (const [from, to] of sets.spans) facts.push(from, closing(to));
  if (sets.always && facts.length > 0) facts.unshift(ALWAYS);
  return facts;
}

function closing(time: number): number {
  return -time - 1;
}

function ascending(a: number, b: number): number {
  return a - b;
}

function insert(times: number[], time: number): boolean {
  let at = 0;
  while (at < times.length && times[at] < time) at++;
  if (times[at] === time) return false;
  times.splice(at, 0, time);
  return true;
}

function remove(times: number[], time: number): boolean {
  const at = times.indexOf(time);
  if (at >= 0) times.splice(at, 1);
  return at >= 0;
}

function insertSpan(spans: Array<[from: number, to: number]>, [from, to]: [from: number, to: number]): boolean {
  let at = 0;
  while (at < spans.length && (spans[at][0] < from || (spans[at][0] === from && spans[at][1] < to))) at++;
  if (at < spans.length && spans[at][0] === from && spans[at][1] === to) return false;
  spans.splice(at, 0, [from, to]);
  return true;
}

function removeSpan(spans: Array<[from: number, to: number]>, [from, to]: [from: number, to: number]): boolean {
  const at = spans.findIndex((span) => span[0] === from && span[1] === to);
  if (at >= 0) spans.splice(at, 1);
  return at >= 0;
}
