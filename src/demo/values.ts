import { daySeconds } from './calendar.ts';
import { noise } from './noise.ts';
import type { CheckKey } from './quality.ts';

/** `character` is a node's own, `chance` the moment's; both from 0 to 1. */
type Curve = (ts: number, character: number, chance: number) => number;

const curves: Record<CheckKey, Curve> = {
  packetLoss: (_ts, _character, chance) => (chance < 0.97 ? 0 : 1),
  load: (ts, character, chance) => 0.15 + 0.6 * character * busyness(ts) + 0.25 * chance,
  // Grows a little every day and is tidied up once a week.
  disk: (ts, character, chance) =>
    30 + 30 * character + 3 * ((ts / daySeconds + 7 * character) % 7) * (0.5 + character / 2) + 0.2 * chance,
  lag: (ts, _character, chance) => 0.2 + 3 * busyness(ts) * chance,
  inlet: (ts, character, chance) => 20.5 + 2 * character + busyness(ts) + 0.4 * chance,
};

/** What a healthy node shows at a moment: busy in the evening, quiet at night, never the same twice, never near its threshold. */
export const valueOf = (name: string, key: CheckKey, ts: number): number =>
  curves[key](ts, noise(`${name} ${key}`), noise(`${name} ${key}`, ts));

/** From 0.2 in the early morning to 1 in the evening. */
function busyness(ts: number): number {
  const hour = (ts % daySeconds) / 3600;
  return 0.6 + 0.4 * Math.cos(((hour - 19) / 24) * 2 * Math.PI);
}
