import { fromPoints, measure, type Point, type Timeline } from '../../src/qos/timeline.ts';

/** What became of the points of a check. */
export type LeafDay = { timeline: Timeline; value: number };

export const DAY_START = 1_749_945_600; // midnight of the day in which the generated graphs have their "now"

const threshold = { low: null, high: 0, isFilled: true };

/** So many different days, a point a minute: most with one to three outages of a minute to an hour, none without any. */
export function makeLeafDays(count: number): LeafDay[] {
  const days = new Map<string, LeafDay>();
  for (let seed = 1; days.size < count; seed++) {
    const isDown = outagesOf(seed);
    const points = Array.from({ length: 1440 }, (_, i): Point => [DAY_START + i * 60, Number(isDown[i])]);
    const timeline = fromPoints(points, threshold, DAY_START);
    days.set(timeline.join(), { timeline, value: measure(timeline).value ?? 0 });
  }
  return [...days.values()];
}

function outagesOf(seed: number): boolean[] {
  const isDown = Array.from({ length: 1440 }, () => false);
  const random = (salt: number) => (Math.imul(seed * 8 + salt, 2_654_435_761) >>> 0) / 2 ** 32;
  for (let outage = 0; outage < 1 + (seed % 3); outage++) {
    const start = Math.floor(random(outage) * 1440);
    const minutes = 1 + Math.floor(random(outage + 4) ** 3 * 60);
    isDown.fill(true, start, start + minutes);
  }
  return isDown;
}
