import { z } from 'zod';
import {
  emailSettings,
  influxDbSettings,
  ndjsonUrlSettings,
  openTsdbSettings,
  prometheusSettings,
  pushSettings,
  slackSettings,
  warp10Settings,
  webhookSettings,
} from './built-in-settings.ts';
import type { IntegrationModel } from './models.schemas.ts';

type Description = Pick<IntegrationModel, 'name' | 'title' | 'description' | 'docs_url'> & {
  purpose: 'metrics' | 'graph-import' | 'notify';
  settings: z.ZodObject;
};

const descriptions: Description[] = [
  {
    name: 'prometheus',
    title: 'Prometheus',
    description: 'Measurements from Prometheus, or from what speaks its HTTP API; queries in PromQL.',
    docs_url: 'https://prometheus.io/docs/prometheus/latest/querying/api/',
    purpose: 'metrics',
    settings: prometheusSettings,
  },
  {
    name: 'opentsdb',
    title: 'OpenTSDB',
    description: 'Measurements from OpenTSDB 2; a query is aggregator:metric{tags}, or sub-queries in JSON.',
    docs_url: 'https://opentsdb.net/docs/build/html/api_http/query/index.html',
    purpose: 'metrics',
    settings: openTsdbSettings,
  },
  {
    name: 'warp10',
    title: 'Warp 10',
    description: 'Measurements from Warp 10; a query is WarpScript that finds $token, $start and $end.',
    docs_url: 'https://www.warp10.io/content/03_Documentation/03_Interacting_with_Warp_10/04_WarpScript',
    purpose: 'metrics',
    settings: warp10Settings,
  },
  {
    name: 'influxdb',
    title: 'InfluxDB',
    description: 'Measurements from InfluxDB; a query is InfluxQL in which $start and $end stand for the range.',
    docs_url: 'https://docs.influxdata.com/influxdb/v2/reference/api/influxdb-1x/query/',
    purpose: 'metrics',
    settings: influxDbSettings,
  },
  {
    name: 'push',
    title: 'Pushed measurements',
    description: 'Measurements that your programs post to …/measurements and that are kept here; there is no query.',
    docs_url: null,
    purpose: 'metrics',
    settings: pushSettings,
  },
  {
    name: 'ndjson-url',
    title: 'NDJSON from an address',
    description: 'Messages of the dependency graph, fetched from an address: one JSON object a line.',
    docs_url: null,
    purpose: 'graph-import',
    settings: ndjsonUrlSettings,
  },
  {
    name: 'webhook',
    title: 'Webhook',
    description: 'Events, posted as signed JSON to an address of yours.',
    docs_url: null,
    purpose: 'notify',
    settings: webhookSettings,
  },
  {
    name: 'slack',
    title: 'Slack',
    description: 'Events as messages in Slack, or in what takes the same incoming webhooks.',
    docs_url: 'https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks/',
    purpose: 'notify',
    settings: slackSettings,
  },
  {
    name: 'email',
    title: 'E-mail',
    description: 'Events as e-mail, through a mail server of yours.',
    docs_url: null,
    purpose: 'notify',
    settings: emailSettings,
  },
];

export const builtInModels: readonly IntegrationModel[] = descriptions.map(({ purpose, settings, ...rest }) => {
  const schema = z.toJSONSchema(settings, { target: 'draft-2020-12', io: 'input' });
  return {
    ...rest,
    version: '1.0.0',
    author: 'Faultline',
    icon: rest.name,
    builtin: true,
    disabled: false,
    capabilities: [purpose, `protocol:${rest.name}`],
    default_config: settingsIn(schema.properties ?? {}),
    config_schema: JSON.parse(JSON.stringify(schema)),
  };
});

type Property = NonNullable<z.core.JSONSchema.BaseSchema['properties']>[string];

function settingsIn(properties: Record<string, Property>): IntegrationModel['default_config'] {
  return Object.fromEntries(
    Object.entries(properties).map(([key, property]) => {
      if (typeof property === 'boolean') throw new Error(`The setting ${key} has no type.`);
      const type = settingType(property);
      const value =
        typeof property.default === 'number' || typeof property.default === 'boolean' ? property.default : '';
      return [key, { value: type === 'password' ? '' : value, type, description: property.description ?? '' }];
    }),
  );
}

function settingType({ type, format }: Exclude<Property, boolean>): IntegrationModel['default_config'][string]['type'] {
  if (type === 'boolean') return 'boolean';
  if (type === 'integer' || type === 'number') return 'number';
  return format === 'password' ? 'password' : 'string';
}
