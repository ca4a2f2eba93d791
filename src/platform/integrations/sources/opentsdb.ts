import { z } from 'zod';
import type { OutboundGuard } from '../../../workflows/worker/outbound.ts';
import { type MetricSource, SourceFailure, tidyPoints } from './metric-source.ts';
import { createSourceRequest, readJson } from './source-request.ts';

/** OpenTSDB 2: https://opentsdb.net/docs/build/html/api_http/query/index.html */
export type OpenTsdbConfig = { url: string; token: string; user: string; password: string; timeout_seconds?: number };

const version = z.object({ version: z.string() });
const dataPoints = z.record(z.string(), z.union([z.number(), z.string(), z.null()]));
const results = z.array(
  z.object({ metric: z.string(), tags: z.record(z.string(), z.string()).default({}), dps: dataPoints }),
);
const subQueries = z.array(z.record(z.string(), z.unknown())).min(1);

/** A query is `sum:1m-avg:cpu.user{host=web1}`, or JSON: one sub-query or a list of them. */
export function createOpenTsdbSource(config: OpenTsdbConfig, guard: OutboundGuard, signal?: AbortSignal): MetricSource {
  const request = createSourceRequest(config, { guard, signal });

  return {
    async test() {
      const body = readJson(await request('/api/version'), 'OpenTSDB', errorIn);
      const parsed = version.safeParse(body);
      if (!parsed.success) throw notOpenTsdb();
      return `OpenTSDB ${parsed.data.version.slice(0, 50)} answered.`;
    },

    async query(text, startSeconds, endSeconds) {
      const isJson = /^\s*[[{]/.test(text);
      const [start, end] = [startSeconds, endSeconds];
      const answer = isJson
        ? await request('/api/query', {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ start, end, queries: parseSubQueries(text) }),
          })
        : await request('/api/query', { query: { start: String(start), end: String(end), m: text.trim() } });
      const parsed = results.safeParse(readJson(answer, 'OpenTSDB', errorIn));
      if (!parsed.success) throw notOpenTsdb();
      return {
        series: parsed.data.map(({ metric, tags, dps }) => ({
          labels: { __name__: metric, ...tags },
          points: tidyPoints(
            Object.entries(dps).map(([at, value]) => [toSeconds(Number(at)), Number(value ?? Number.NaN)]),
            start,
            end,
          ),
        })),
      };
    },
  };
}

function parseSubQueries(text: string): unknown {
  try {
    return subQueries.parse([JSON.parse(text)].flat());
  } catch {
    throw new SourceFailure('The query is neither "aggregator:metric{tags}" nor JSON with sub-queries of OpenTSDB.', {
      isPermanent: true,
    });
  }
}

/** A server may be told to answer in milliseconds; these have 13 digits until the year 2286. */
const toSeconds = (at: number): number => (at > 99_999_999_999 ? at / 1000 : at);

const errorIn = (body: unknown): unknown =>
  z.object({ error: z.object({ message: z.string() }) }).safeParse(body).data?.error.message;

const notOpenTsdb = () => new SourceFailure('What answers there does not speak as OpenTSDB does.');
