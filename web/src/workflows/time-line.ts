/** Where a task's bar begins and how long it is, as parts of the whole run from 0 to 1. */
export type Bar = { offset: number; width: number };
type Span = { started: string | null; finished: string | null };

/** The bars of tasks on one time line, from the first start to the last end (or now). */
export function barsOf<T extends Span>(tasks: readonly T[], now: number): Map<T, Bar> {
  const spans = tasks.flatMap((task) => {
    if (task.started === null) return [];
    const from = Date.parse(task.started);
    const to = task.finished === null ? now : Date.parse(task.finished);
    return [{ task, from, to: Math.max(from, to) }];
  });
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { from, to } of spans) {
    first = Math.min(first, from);
    last = Math.max(last, to);
  }
  const whole = Math.max(1, last - first);
  return new Map(
    spans.map(({ task, from, to }) => [task, { offset: (from - first) / whole, width: (to - from) / whole }]),
  );
}
