import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createDurations } from './durations.ts';

const line = (le: string): string =>
  `faultline_http_request_duration_seconds_bucket{method="GET",route="/a",status="200",le="${le}"}`;

test('buckets are cumulative, and a value at a limit lies within it', async () => {
  const durations = createDurations();
  for (const seconds of [0.001, 0.002, 0.02, 50]) durations.observe('GET', '/a', 200, seconds);
  durations.observe('GET', '/a', 404, 0.5);
  const registry = new Registry();
  registry.registerMetric(durations.metric as never); // a metric by shape, not by class
  const text = await registry.metrics();
  expect(text).toContain('# TYPE faultline_http_request_duration_seconds histogram');
  expect(text).toContain(`${line('0.001')} 1\n`);
  expect(text).toContain(`${line('0.003')} 2\n`);
  expect(text).toContain(`${line('0.03')} 3\n`);
  expect(text).toContain(`${line('10')} 3\n`);
  expect(text).toContain(`${line('+Inf')} 4\n`);
  expect(text).toContain('duration_seconds_count{method="GET",route="/a",status="200"} 4\n');
  expect(text).toContain('duration_seconds_sum{method="GET",route="/a",status="404"} 0.5\n');
});
