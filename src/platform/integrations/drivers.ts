import type { z } from 'zod';
import type { OutboundGuard } from '../../workflows/worker/outbound.ts';
import {
  influxDbSettings,
  ndjsonUrlSettings,
  openTsdbSettings,
  prometheusSettings,
  warp10Settings,
} from './built-in-settings.ts';
import type { ConfigValues } from './config-values.ts';
import type { IntegrationModel } from './models.schemas.ts';
import { testNdjsonUrl } from './ndjson-url.ts';
import { createInfluxDbSource } from './sources/influxdb.ts';
import { type MetricSource, SourceFailure } from './sources/metric-source.ts';
import { createOpenTsdbSource } from './sources/opentsdb.ts';
import { createPrometheusSource } from './sources/prometheus.ts';
import { createWarp10Source } from './sources/warp10.ts';

/** What a model can do beyond being configured. Resolves to a sentence, or rejects with one. */
export type Tester = (config: ConfigValues, signal: AbortSignal) => Promise<string>;

type OpenSource = (config: ConfigValues, signal?: AbortSignal) => MetricSource;

export type Drivers = ReturnType<typeof createDrivers>;

/**
 * A model names what speaks for it with the capability `protocol:…`, so one that an administrator added works like the built-in one it
 * names, with defaults of its own. `moreTesters`: by protocol, from parts of the service that send rather than ask.
 */
export function createDrivers(guard: OutboundGuard, moreTesters: Record<string, Tester> = {}) {
  const source =
    <Config>(
      settings: z.ZodType<Config>,
      create: (config: Config, guard: OutboundGuard, signal?: AbortSignal) => MetricSource,
    ): OpenSource =>
    (config, signal) =>
      create(parseConfig(settings, config), guard, signal);
  const sources = new Map<string, OpenSource>([
    ['prometheus', source(prometheusSettings, createPrometheusSource)],
    ['opentsdb', source(openTsdbSettings, createOpenTsdbSource)],
    ['warp10', source(warp10Settings, createWarp10Source)],
    ['influxdb', source(influxDbSettings, createInfluxDbSource)],
  ]);
  const testers = new Map<string, Tester>([
    ...[...sources].map(([name, open]): [string, Tester] => [name, (config, signal) => open(config, signal).test()]),
    ['ndjson-url', (config, signal) => testNdjsonUrl(parseConfig(ndjsonUrlSettings, config), guard, signal)],
    ['push', async () => 'Nothing to call: measurements are posted to …/measurements.'],
    ...Object.entries(moreTesters),
  ]);

  return {
    findTester: (model: IntegrationModel): Tester | undefined => named(testers, model),
    findSource: (model: IntegrationModel): OpenSource | undefined => named(sources, model),
  };
}

const named = <Kind>(kinds: Map<string, Kind>, model: IntegrationModel): Kind | undefined =>
  protocolsOf(model).flatMap((name) => kinds.get(name) ?? [])[0];

export const protocolsOf = ({ capabilities }: Pick<IntegrationModel, 'capabilities'>): string[] =>
  capabilities.flatMap((one) => (one.startsWith('protocol:') ? [one.slice('protocol:'.length)] : []));

/** The model's schema has been checked before; that of an added model may allow what its protocol does not. */
export function parseConfig<Config>(settings: z.ZodType<Config>, config: ConfigValues): Config {
  const parsed = settings.safeParse(config);
  if (parsed.success) return parsed.data;
  const paths = [...new Set(parsed.error.issues.map(({ path }) => `"${path.join('.') || 'config'}"`))];
  throw new SourceFailure(`The configuration does not fit: look at ${paths.join(', ')}.`);
}
