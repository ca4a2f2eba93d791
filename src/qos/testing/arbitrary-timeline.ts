import fc from 'fast-check';
import { DAY_SECONDS, STATES } from '../states.ts';
import { type Timeline, TimelineBuilder } from '../timeline.ts';

const second = fc.oneof(
  fc.integer({ min: 0, max: DAY_SECONDS - 1 }),
  // Few seconds, so that changes of different timelines meet.
  fc.integer({ min: 0, max: 20 }).map((at) => at * 60),
);
const change = (states: number[]) => fc.tuple(second, fc.constantFrom(...states));

const timelineOf = (states: number[]): fc.Arbitrary<Timeline> =>
  fc.tuple(fc.constantFrom(...states), fc.array(change(states), { maxLength: 12 })).map(([first, changes]) => {
    const builder = new TimelineBuilder();
    builder.change(0, first);
    for (const [at, state] of changes.toSorted((a, b) => a[0] - b[0])) builder.change(at, state);
    return builder.finish();
  });

/** Any timeline, and one that is known all day. */
export const anyTimeline = timelineOf([...STATES.keys()]);
export const knownTimeline = timelineOf([1, 2]);

export const anySpan = fc.tuple(second, second).map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) + 1 }));
