import { z } from 'zod';

/**
 * The configurations of the built-in models. JSON Schemas, defaults and the types that the code works with all follow from these.
 * An address holds no user, password or parameters: it is shown to all members of the team.
 */

const line = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[^\u0000-\u001f\u007f]*$/);
const baseUrl = (description: string) =>
  z
    .string()
    .max(2000)
    .regex(/^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/)
    .meta({ description });
const password = (description: string) => z.string().max(10_000).default('').meta({ format: 'password', description });
/** Goes into a header as it is. */
const token = (description: string) =>
  z
    .string()
    .max(10_000)
    .regex(/^[\x20-\x7e]*$/)
    .default('')
    .meta({ format: 'password', description });

const credentials = {
  token: token('A token, sent as "Authorization: Bearer …"; leave it empty to use user and password'),
  user: line(200).default('').meta({ description: 'The user of basic authentication' }),
  password: password('The password of basic authentication'),
};

/** How a source is asked when a day of many nodes is computed. */
const restraint = {
  concurrency: z.number().int().min(1).max(64).default(8).meta({ description: 'How many queries may run at once' }),
  timeout_seconds: z.number().int().min(1).max(300).default(20).meta({ description: 'How long a query may take' }),
};

export const prometheusSettings = z.strictObject({
  url: baseUrl('Where it answers, without /api/v1, such as https://prometheus.example.com'),
  ...credentials,
  step_seconds: z.number().int().min(1).max(86_400).default(60).meta({ description: 'Seconds between two points' }),
  ...restraint,
});

export const openTsdbSettings = z.strictObject({
  url: baseUrl('Where it answers, without /api, such as https://opentsdb.example.com:4242'),
  ...credentials,
  ...restraint,
});

export const warp10Settings = z.strictObject({
  url: baseUrl('Where it answers, without /api/v0, such as https://warp10.example.com'),
  token: password('A read token; queries find it as $token'),
  ...restraint,
});

export const influxDbSettings = z.strictObject({
  url: baseUrl('Where it answers, without /query, such as https://influxdb.example.com:8086'),
  database: line(200).min(1).meta({ description: 'The database; for a bucket, the one that is mapped to it' }),
  ...credentials,
  token: token('A token, sent as "Authorization: Token …"; leave it empty to use user and password'),
  ...restraint,
});

/** Nothing to set: what is posted is kept here. */
export const pushSettings = z.strictObject({});

export const ndjsonUrlSettings = z.strictObject({
  url: z
    .string()
    .max(2000)
    .regex(/^https?:\/\/[^\s/?#@]+([/?][^\s#]*)?$/)
    .meta({ description: 'Where the messages are, one JSON object a line. Secrets do not belong into it' }),
  ...credentials,
});

export const webhookSettings = z.strictObject({
  url: baseUrl('Where events are posted to'),
  secret: password('What the signature is made with'),
});

export const slackSettings = z.strictObject({
  url: z
    .string()
    .max(2000)
    .regex(/^(https?:\/\/\S+)?$/)
    .default('')
    .meta({ format: 'password', description: 'The address of the incoming webhook, which is a secret itself' }),
});

export const emailSettings = z.strictObject({
  host: line(255).min(1).meta({ description: 'The mail server' }),
  port: z.number().int().min(1).max(65_535).default(587).meta({ description: 'Its port' }),
  secure: z.boolean().default(false).meta({ description: 'TLS from the first byte, as on port 465' }),
  user: line(200).default('').meta({ description: 'The user, if the server asks for one' }),
  password: password('Its password'),
  from: line(320).min(3).meta({ description: 'The sender' }),
  to: z.string().min(3).max(10_000).meta({ description: 'The receivers, separated by commas' }),
});
