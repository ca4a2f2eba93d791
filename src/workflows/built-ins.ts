import { z } from 'zod';

/** The arguments (`with`) of the built-in tasks, by name: checked when a definition is loaded and again when the task runs. */

const status = z.int().min(100).max(599);
const statusRange = z.string().regex(/^[1-5]\d\d-[1-5]\d\d$/, 'must be a range of statuses such as 200-299');
const expected = z.union([status, statusRange]);

export const httpWith = z
  .strictObject({
    url: z.string().min(1).meta({ description: 'http:// or https://' }),
    method: z
      .string()
      .regex(/^[A-Za-z]{1,20}$/, 'must be a method such as GET')
      .optional()
      .meta({ description: 'GET, or POST when there is a body' }),
    headers: z.record(z.string(), z.string()).default({}),
    json: z.json().optional().meta({ description: 'The body, sent as JSON' }),
    body: z.string().optional().meta({ description: 'The body, sent as it is' }),
    expect: z
      .union([expected, z.array(expected).min(1)])
      .default('200-299')
      .meta({ description: 'Statuses and ranges that count as success' }),
    timeout: z.number().positive().max(3600).default(30).meta({ description: 'Seconds for the whole exchange' }),
    response: z.enum(['json', 'text', 'auto']).default('auto').meta({ description: 'How to read the answer' }),
  })
  .refine((value) => value.json === undefined || value.body === undefined, 'give json or body, not both');

export const shellWith = z
  .strictObject({
    command: z.string().min(1).optional().meta({ description: 'A line for /bin/sh' }),
    argv: z.array(z.string()).min(1).optional().meta({ description: 'A program and its arguments, without a shell' }),
    cwd: z.string().optional().meta({ description: 'Relative to the home' }),
    env: z.record(z.string(), z.string()).default({}),
    input: z.string().optional().meta({ description: 'Standard input' }),
  })
  .refine((value) => (value.command === undefined) !== (value.argv === undefined), 'give either command or argv');

export const sleepWith = z
  .strictObject({
    seconds: z.number().min(0).max(31_536_000).optional(),
    until: z.iso.datetime({ offset: true }).optional(),
  })
  .refine((value) => (value.seconds === undefined) !== (value.until === undefined), 'give either seconds or until');

export const graphImportWith = z
  .strictObject({
    team: z.string().min(1).meta({ description: 'Name or id' }),
    messages: z.array(z.json()).optional(),
    url: z.string().min(1).optional().meta({ description: 'NDJSON or a JSON array behind an address' }),
    file: z.string().min(1).optional().meta({ description: 'NDJSON in the home' }),
  })
  .refine(
    (value) => [value.messages, value.url, value.file].filter((one) => one !== undefined).length === 1,
    'give exactly one of messages, url and file',
  );

export const notifyWith = z
  .strictObject({
    title: z.string().min(1).max(200),
    message: z.string(),
    url: z.string().optional(),
    channel: z.string().min(1).optional().meta({ description: 'Name or id of a notification channel' }),
  })
  .refine((value) => value.url === undefined || value.channel === undefined, 'give url or channel, not both');

export const emitWith = z.strictObject({ type: z.string().min(1).max(200), data: z.json().default(null) });

export const qosComputeWith = z.strictObject({
  team: z.string().min(1).meta({ description: 'Name or id' }),
  day: z.string().min(1).default('yesterday').meta({ description: 'YYYY-MM-DD in UTC, or yesterday' }),
  labels: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .meta({ description: 'These and what they need; all unless told' }),
  figures: z.boolean().default(true).meta({
    description: 'Whether the result has the figures of the labels; everybody who may read workflows sees it',
  }),
});

export const builtInArguments = {
  http: httpWith,
  shell: shellWith,
  sleep: sleepWith,
  'graph.import': graphImportWith,
  notify: notifyWith,
  emit: emitWith,
  'qos.compute': qosComputeWith,
} as const;
