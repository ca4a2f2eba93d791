import { z } from 'zod';
import type { OutboundGuard } from '../../../workflows/worker/outbound.ts';
import { type MetricSource, SourceFailure, tidyPoints } from './metric-source.ts';
import { createSourceRequest, quoted, readJson } from './source-request.ts';

/** Prometheus, and what speaks its HTTP API (Thanos, Mimir, VictoriaMetrics): https://prometheus.io/docs/prometheus/latest/querying/api/ */
export type PrometheusConfig = {
  url: string;
  token: string;
  user: string;
  password: string;
  step_seconds: number;
  timeout_seconds?: number;
};

/** Prometheus refuses more than 11,000 points a series. */
const mostPoints = 10_000;

const scalar = z.object({ status: z.literal('success'), data: z.object({ resultType: z.string() }) });
const matrix = z.object({
  status: z.literal('success'),
  data: z.object({
    resultType: z.literal('matrix'),
    result: z.array(
      z.object({
        metric: z.record(z.string(), z.string()),
        values: z.array(z.tuple([z.number(), z.string()])).default([]),
      }),
    ),
  }),
});

export function createPrometheusSource(
  config: PrometheusConfig,
  guard: OutboundGuard,
  signal?: AbortSignal,
): MetricSource {
  const request = createSourceRequest(config, { guard, signal });

  async function ask<Shape extends z.ZodType>(path: string, query: Record<string, string>, shape: Shape) {
    const answer = await request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(query).toString(),
    });
    const body = readJson(answer, 'Prometheus', (body) => errorIn(body));
    const parsed = shape.safeParse(body);
    if (parsed.success) return parsed.data;
    const said = quoted(errorIn(body));
    throw new SourceFailure(
      said ? `Prometheus could not answer the query${said}.` : 'What answers there does not speak as Prometheus does.',
    );
  }

  return {
    async test() {
      await ask('/api/v1/query', { query: 'vector(1)' }, scalar);
      return 'Prometheus answered a query.';
    },

    async query(text, startSeconds, endSeconds) {
      const step = Math.max(config.step_seconds, Math.ceil((endSeconds - startSeconds) / mostPoints), 1);
      const range = { query: text, start: String(startSeconds), end: String(endSeconds), step: String(step) };
      const { data } = await ask('/api/v1/query_range', range, matrix);
      return {
        series: data.result.map(({ metric, values }) => ({
          labels: metric,
          points: tidyPoints(
            values.map(([at, value]) => [at, Number(value)]),
            startSeconds,
            endSeconds,
          ),
        })),
      };
    },
  };
}

const errorIn = (body: unknown): unknown => z.object({ error: z.string() }).safeParse(body).data?.error;
