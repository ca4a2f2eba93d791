import { z } from 'zod';
import type { OutboundGuard } from '../../../workflows/worker/outbound.ts';
import { type MetricSource, SourceFailure, tidyPoints } from './metric-source.ts';
import { createSourceRequest, quoted, readJson } from './source-request.ts';

/** Warp 10: scripts in WarpScript, posted to /api/v0/exec; the answer is the stack as JSON, its top first. */
export type Warp10Config = { url: string; token: string; timeout_seconds?: number };

const unitsPerSecond = z.number().positive();
/** A point is [time, value], with position and elevation between them where there are any. */
const point = z.array(z.unknown()).min(2);
const geoTimeSeries = z.object({
  c: z.string(),
  l: z.record(z.string(), z.string()).default({}),
  v: z.array(point).default([]),
});

/**
 * A query finds $token, $start and $end (as FETCH takes them, in ISO 8601) and leaves series, or lists of series, on the stack:
 *
 *   [ $token 'cpu' { 'host' 'web1' } $start $end ] FETCH
 */
export function createWarp10Source(config: Warp10Config, guard: OutboundGuard, signal?: AbortSignal): MetricSource {
  const request = createSourceRequest({ url: config.url, timeout_seconds: config.timeout_seconds }, { guard, signal });

  async function execute(script: string): Promise<unknown[]> {
    const answer = await request('/api/v0/exec', {
      method: 'POST',
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: script,
    });
    const said = answer.headers['x-warp10-error-message'];
    if (answer.status >= 500 && said !== undefined) {
      throw new SourceFailure(`Warp 10 could not run the script${quoted([said].flat().join(' '))}.`, {
        isPermanent: true,
      });
    }
    const stack = readJson(answer, 'Warp 10', () => undefined);
    if (!Array.isArray(stack)) throw notWarp10();
    return stack;
  }

  return {
    async test() {
      // A token that is wrong shows only when it is used.
      const useToken =
        config.token === '' ? '' : `[ ${literal(config.token)} 'faultline.test' {} NOW -1 ] FETCH DROP\n`;
      const stack = await execute(`${useToken}STU`);
      if (!unitsPerSecond.safeParse(stack[0]).success) throw notWarp10();
      return config.token === '' ? 'Warp 10 ran a script.' : 'Warp 10 ran a script and accepted the token.';
    },

    async query(text, startSeconds, endSeconds) {
      const script = [
        `${literal(config.token)} 'token' STORE`,
        `${literal(new Date(startSeconds * 1000).toISOString())} 'start' STORE`,
        `${literal(new Date(endSeconds * 1000).toISOString())} 'end' STORE`,
        text,
        // On a line of its own, behind whatever comment the query ends with: how to read its times.
        'STU',
      ].join('\n');
      const [units, ...stack] = await execute(script);
      const perSecond = unitsPerSecond.safeParse(units);
      if (!perSecond.success) throw notWarp10();
      return {
        series: [...seriesIn(stack)].map(({ c, l, v }) => ({
          labels: { __name__: c, ...l },
          points: tidyPoints(
            v.map((one) => toPoint(one, perSecond.data)),
            startSeconds,
            endSeconds,
          ),
        })),
      };
    },
  };
}

/** Series stand on the stack alone or in lists; what else is there is no result. */
function* seriesIn(value: unknown, depth = 0): Generator<z.infer<typeof geoTimeSeries>> {
  if (Array.isArray(value) && depth < 8) for (const one of value) yield* seriesIn(one, depth + 1);
  const parsed = geoTimeSeries.safeParse(value);
  if (parsed.success) yield parsed.data;
}

function toPoint(values: unknown[], unitsPerSecond: number): [number, number] {
  const value = values.at(-1);
  const number = typeof value === 'boolean' ? Number(value) : value;
  return [Number(values[0]) / unitsPerSecond, typeof number === 'number' ? number : Number.NaN];
}

/** Text in a script is percent-encoded UTF-8 between quotes, so nothing in it can end it. */
const literal = (text: string): string => `'${encodeURIComponent(text).replaceAll("'", '%27')}'`;

const notWarp10 = () => new SourceFailure('What answers there does not speak as Warp 10 does.');
