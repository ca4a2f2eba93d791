import { z } from 'zod';
import type { OutboundGuard } from '../../../workflows/worker/outbound.ts';
import { type MetricSource, SourceFailure, tidyPoints } from './metric-source.ts';
import { createSourceRequest, quoted, readJson } from './source-request.ts';

/** InfluxDB 1, and the same interface in 2 and 3: https://docs.influxdata.com/influxdb/v2/reference/api/influxdb-1x/query/ */
export type InfluxDbConfig = {
  url: string;
  database: string;
  token: string;
  user: string;
  password: string;
  timeout_seconds?: number;
};

const answerShape = z.object({
  results: z.array(
    z.object({
      error: z.string().optional(),
      series: z
        .array(
          z.object({
            name: z.string().default(''),
            tags: z.record(z.string(), z.string()).default({}),
            columns: z.array(z.string()),
            values: z.array(z.array(z.unknown())).default([]),
          }),
        )
        .default([]),
    }),
  ),
});

/** A query is InfluxQL in which $start and $end stand for the range: select mean(usage) from cpu where time >= $start and time <= $end … */
export function createInfluxDbSource(config: InfluxDbConfig, guard: OutboundGuard, signal?: AbortSignal): MetricSource {
  const request = createSourceRequest(config, { guard, signal, scheme: 'Token' });

  async function ask(q: string) {
    const answer = await request('/query', { query: { db: config.database, epoch: 's', q } });
    const body = readJson(answer, 'InfluxDB', errorIn);
    const parsed = answerShape.safeParse(body);
    if (!parsed.success) throw new SourceFailure('What answers there does not speak as InfluxDB does.');
    const failed = parsed.data.results.find(({ error }) => error !== undefined);
    if (failed)
      throw new SourceFailure(`InfluxDB could not answer the query${quoted(failed.error)}.`, { isPermanent: true });
    return parsed.data.results.flatMap(({ series }) => series);
  }

  return {
    async test() {
      // Needs the database and the right to read it, unlike /ping.
      await ask('show measurements limit 1');
      return 'InfluxDB answered a query on the database.';
    },

    async query(text, startSeconds, endSeconds) {
      if (!text.includes('$start') || !text.includes('$end')) {
        throw new SourceFailure('The query must be limited in time: write "time >= $start and time <= $end" in it.', {
          isPermanent: true,
        });
      }
      const bound = text
        .replaceAll('$start', `${Math.floor(startSeconds)}s`)
        .replaceAll('$end', `${Math.floor(endSeconds)}s`);
      const series = await ask(bound);
      return {
        series: series.flatMap(({ name, tags, columns, values }) =>
          valueColumns(columns).map(([column, at]) => ({
            labels: { __name__: name, ...tags, __field__: column },
            points: tidyPoints(
              values.map((row) => [Number(row[columns.indexOf('time')]), toNumber(row[at])]),
              startSeconds,
              endSeconds,
            ),
          })),
        ),
      };
    },
  };
}

/** Each column but the time is a series of its own. */
const valueColumns = (columns: string[]): Array<[string, number]> =>
  columns.flatMap((column, at): Array<[string, number]> => (column === 'time' ? [] : [[column, at]]));

const toNumber = (value: unknown): number =>
  typeof value === 'number' ? value : typeof value === 'boolean' ? Number(value) : Number.NaN;

const errorIn = (body: unknown): unknown => {
  const { data } = z.object({ error: z.string().optional(), message: z.string().optional() }).safeParse(body);
  return data?.error ?? data?.message;
};
