import { z } from 'zod';

/**
 * The format of definition files, said once: the compiler checks with it and docs/workflows.schema.json is made from it.
 * The bodies are functions of the schema of an item, because the compiler checks one level at a time (its complaints are better)
 * while the published schema describes the whole tree.
 */

const seconds = z
  .number('must be a number of seconds')
  .positive('must be more than 0 seconds')
  .max(31_536_000, 'must be at most a year');
const text = z.string('must be text').min(1, 'must not be empty').max(1000, 'must be at most 1000 characters');
const whole = (from: number, to: number) => {
  const complaint = `must be a whole number from ${from} to ${to}`;
  return z.int(complaint).min(from, complaint).max(to, complaint);
};
const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, `must be one of ${values.join(', ')}`);
const expression = z
  .string('must be an expression, as text')
  .meta({ description: 'An expression such as payload.total > 0' });
const mapping = z.record(z.string(), z.json(), 'must be a mapping');

export const taskName = text.regex(
  /^[^\s{}[\]",]{1,200}$/,
  'must be a name of at most 200 characters without spaces, quotes, commas or brackets',
);

const retry = z
  .strictObject(
    {
      attempts: whole(1, 1000).optional().meta({ description: 'How often it is tried in all; 3 unless told' }),
      delay: z
        .number('must be a number of seconds')
        .min(0, 'must not be negative')
        .max(86_400, 'must be at most a day')
        .optional()
        .meta({ description: 'Seconds before the second attempt; 1 unless told' }),
      backoff: oneOf(['fixed', 'linear', 'exponential'])
        .optional()
        .meta({ description: 'How the delay grows; exponential unless told' }),
      max_delay: seconds.optional().meta({ description: 'The delay never grows beyond this; 300 seconds unless told' }),
    },
    'must be a mapping such as { attempts: 3 }',
  )
  .meta({ id: 'Retry' });

const shared = {
  needs: z
    .array(taskName, 'must be a list of keys')
    .max(1000, 'must have at most 1000 keys')
    .optional()
    .meta({ description: 'Runs after exactly these items, wherever they stand; [] is at once' }),
};
const runs = {
  ...shared,
  queue: taskName.optional(),
  retry: retry.optional(),
  timeout: seconds.optional().meta({ description: 'Seconds for one attempt' }),
  when: expression.optional().meta({ description: 'Skipped, and counted as done, when this expression is false' }),
};
const remote = z
  .boolean('must be true or false')
  .optional()
  .meta({ description: 'A worker elsewhere offers this task' });

export const itemTypes = ['task', 'group', 'chain', 'foreach', 'approval', 'workflow'] as const;
export type ItemType = (typeof itemTypes)[number];

/** One body per type of item. */
export function itemBodies<Item extends z.ZodType>(item: Item) {
  const tasks = z.array(item, 'must be a list of tasks').min(1, 'must have at least one task');
  const members = { ...shared, tasks, queue: taskName.optional(), retry: retry.optional() };
  return {
    task: z.strictObject({
      type: z.literal('task').optional(),
      run: taskName.optional().meta({ description: 'The task to run; the key unless told' }),
      with: mapping.optional().meta({ description: 'Arguments; text in it may hold {{expressions}}' }),
      remote,
      ...runs,
    }),
    group: z.strictObject({ type: z.literal('group'), ...members }),
    chain: z.strictObject({ type: z.literal('chain'), ...members }),
    foreach: z.strictObject({
      type: z.literal('foreach'),
      over: expression.meta({ description: 'The list, such as results.RESERVE.items' }),
      task: taskName.meta({ description: 'The task that runs once for each element' }),
      concurrency: whole(1, 10_000).optional().meta({ description: 'How many may run at once; all unless told' }),
      with: mapping.optional().meta({ description: 'Arguments; {{item}} and {{index}} are the element and its place' }),
      remote,
      ...runs,
    }),
    approval: z.strictObject({
      type: z.literal('approval'),
      message: text
        .optional()
        .meta({ description: 'What the person who approves should know; may hold {{expressions}}' }),
      ...shared,
      timeout: runs.timeout,
      when: runs.when,
    }),
    workflow: z.strictObject({
      type: z.literal('workflow'),
      workflow: taskName.meta({ description: 'The project.NAME to start' }),
      payload: expression.optional().meta({
        description:
          "An expression that makes its payload, such as { order: payload.id }; this instance's payload unless told",
      }),
      ...runs,
    }),
  };
}

const payload = mapping.optional();
const periodic = z
  .strictObject(
    {
      interval: whole(1, 31_536_000).optional().meta({ description: 'Seconds' }),
      crontab: text.optional().meta({ description: 'Minute, hour, day of the month, month, day of the week' }),
      schedule: z
        .union([whole(1, 31_536_000), text], 'must be a number of seconds or a crontab')
        .optional()
        .meta({
          description: 'The older spelling: seconds, or minute, hour, day of the week, day of the month, month',
          deprecated: true,
        }),
      timezone: text.optional().meta({ description: 'Such as Europe/Paris; UTC unless told' }),
      payload,
      missed: oneOf(['skip', 'once', 'all'])
        .optional()
        .meta({ description: 'What happens with runs that were due while nothing ran; once unless told' }),
    },
    'must be a mapping such as { interval: 60 }',
  )
  .meta({ id: 'Periodic' });

const queue = z.union(
  [
    taskName,
    z.strictObject({
      default: taskName.optional(),
      customs: z.record(z.string(), taskName).optional().meta({ description: 'The queue of single tasks, by name' }),
    }),
  ],
  'must be a name, or a mapping { default: NAME, customs: { TASK: NAME } }',
);

export function definitionBody<Item extends z.ZodType>(item: Item) {
  return z.strictObject(
    {
      description: z.string('must be text').max(10_000, 'must be at most 10000 characters').optional(),
      tasks: z.array(item, 'must be a list of tasks').min(1, 'must have at least one task'),
      schema: z
        .union([text, mapping], 'must be the name of a file in schemas/, or a JSON Schema')
        .optional()
        .meta({ description: 'Checks the payload: NAME for schemas/NAME.json, or a JSON Schema itself' }),
      queue: queue.optional(),
      retry: retry.optional().meta({ description: 'For tasks that say nothing themselves' }),
      timeout: seconds.optional().meta({ description: 'Seconds for the whole instance' }),
      overlap: oneOf(['allow', 'skip', 'queue', 'replace'])
        .optional()
        .meta({ description: 'What a start does while another instance runs; allow unless told' }),
      priority: whole(-1000, 1000).optional().meta({ description: 'Higher goes first; 0 unless told' }),
      periodic: periodic.optional(),
      hooks: z
        .strictObject(
          { init: taskName.optional(), success: taskName.optional(), failure: taskName.optional() },
          'must be a mapping with init, success or failure',
        )
        .optional()
        .meta({ description: 'Tasks that run beside the others: at the start, after success, after failure' }),
      retention: z
        .strictObject(
          {
            offset: whole(-1, 1_000_000_000)
              .optional()
              .meta({ description: 'How many finished instances are kept; -1 is all' }),
            count: whole(0, 1_000_000_000).optional().meta({ description: 'The same as offset' }),
            days: z
              .number('must be a number of days')
              .positive('must be more than 0 days')
              .max(36_500, 'must be at most 36500 days')
              .optional()
              .meta({ description: 'Finished instances older than this are deleted' }),
          },
          'must be a mapping such as { offset: 100 }',
        )
        .optional(),
    },
    'must be a mapping with "tasks"',
  );
}

export const queuesFile = z.record(
  z.string(),
  z.strictObject(
    {
      concurrency: whole(1, 100_000).optional(),
      rate: z
        .string('must be text such as "10/s"')
        .regex(
          /^[1-9]\d{0,6}\/[smh]$/,
          'must be a number a second, minute or hour, such as "10/s", "100/m" or "1000/h"',
        )
        .optional(),
    },
    'must be a mapping such as { concurrency: 4, rate: "10/s" }',
  ),
  'must be a mapping of queues',
);

export const remoteFile = z.array(taskName, 'must be a list of task names');

export const fullnamePattern = /^[A-Za-z0-9_-]{1,100}\.[A-Za-z0-9_.-]{1,100}$/;

export const shallowItem = z.unknown();
export const shallowBodies = itemBodies(shallowItem);
export const shallowDefinition = definitionBody(shallowItem);
export type DefinitionBody = z.infer<typeof shallowDefinition>;
export type RetryBody = z.infer<typeof retry>;
