import { z } from 'zod';
import { lineOfText } from '../http/schemas.ts';
import type { Json } from './plan.ts';

export const workflowTime = z.string().meta({ format: 'date-time', example: '2026-11-15T02:08:00.123456+00:00' });
export const statuses = ['pending', 'progress', 'success', 'error', 'canceled'] as const;
const status = z.enum(statuses);
/** Any JSON: it was parsed as such, so there is nothing left to check. */
export const anyJson = z.any().meta({ description: 'Any JSON' }) as unknown as z.ZodType<Json>;
const jsonObject = z.record(z.string(), anyJson);
const failure = z.object({ message: z.string(), stack: z.string().optional() });

export const instanceListItem = z
  .object({
    id: z.uuid(),
    name: z.string(),
    project: z.string(),
    fullname: z.string().meta({ example: 'shop.ORDER' }),
    payload: jsonObject.optional(),
    periodic: z.boolean(),
    status,
    created: workflowTime,
    updated: workflowTime,
    started: workflowTime.nullable(),
    finished: workflowTime.nullable(),
    comment: z.string().nullable(),
    relaunched_from: z.uuid().nullable(),
    error: failure.optional().meta({ description: 'Why the instance as a whole failed, such as a time-out' }),
  })
  .meta({ id: 'WorkflowInstance' });

export const instanceTask = z
  .object({
    id: z.uuid(),
    task: z.uuid().meta({ description: 'Equal to id' }),
    key: z.string(),
    parent: z.uuid().nullable().meta({ description: 'Of an element of a foreach: the task it belongs to' }),
    element: z.int().nullable().meta({ description: 'Of an element of a foreach: its place, from 0' }),
    previous: z.array(z.uuid()),
    status,
    created: workflowTime,
    updated: workflowTime,
    started: workflowTime.nullable(),
    finished: workflowTime.nullable(),
    result: anyJson.nullable(),
    is_hook: z.boolean(),
    is_skipped: z.boolean().meta({ description: 'Its condition was false; what follows runs all the same' }),
    attempt: z.int(),
    progress: z.number().nullable(),
    worker: z.string().nullable(),
    run: z.string(),
    child: z.uuid().nullable().meta({ description: 'The instance that it started and waits for' }),
    message: z.string().nullable().meta({ description: 'What whoever approves it should know' }),
    queue: z.string(),
    error: failure.nullable(),
  })
  .meta({ id: 'WorkflowTask' });

export const instanceDetail = instanceListItem
  .extend({
    parent: z
      .object({ instance: z.uuid(), task: z.uuid() })
      .nullable()
      .meta({ description: 'The task that started it, of a sub-workflow' }),
    tasks: z.array(instanceTask),
  })
  .meta({ id: 'WorkflowInstanceDetail' });

export const startBody = z
  .object({
    project: lineOfText(200),
    name: lineOfText(200),
    payload: jsonObject.default({}),
    comment: lineOfText(1000).optional(),
  })
  .meta({ id: 'WorkflowStart' });

export const approveBody = z.object({ comment: lineOfText(1000).optional() }).nullish();

export const definition = z
  .looseObject({
    name: z.string(),
    project: z.string(),
    fullname: z.string(),
    periodic: z.looseObject({ payload: jsonObject }).optional(),
    tasks: z.array(anyJson),
    next_run: z.string().nullable().optional().meta({ description: 'Of periodic ones; null while paused' }),
    paused: z.boolean().optional(),
  })
  .meta({ id: 'WorkflowDefinition' });

const retryPolicy = z.object({
  attempts: z.int(),
  delay: z.number().meta({ description: 'Seconds' }),
  backoff: z.enum(['fixed', 'linear', 'exponential']),
  max_delay: z.number().meta({ description: 'Seconds' }),
});

/** What becomes of a definition: one item for each task of an instance. */
const planItem = z
  .object({
    key: z.string(),
    kind: z.enum(['task', 'foreach', 'approval', 'workflow']),
    run: z.string(),
    queue: z.string(),
    previous: z.array(z.int()).meta({ description: 'Which items it follows, by their place in the list' }),
    when: z.string().nullable(),
    over: z.string().nullable().meta({ description: 'Of a foreach: the expression of its list' }),
    concurrency: z.int().nullable().meta({ description: 'Of a foreach: how many elements run at once; null is all' }),
    workflow: z.string().nullable().meta({ description: 'Of a sub-workflow: which one' }),
    message: z.string().nullable().meta({ description: 'Of an approval' }),
    timeout: z.number().nullable().meta({ description: 'Seconds' }),
    retry: retryPolicy,
  })
  .meta({ id: 'WorkflowPlanItem' });
const planHook = z.object({ key: z.string(), run: z.string(), queue: z.string() }).optional();

export const definitionDetail = definition
  .extend({
    file: z.string().meta({ description: 'Where it is written, relative to the home' }),
    payload_schema: anyJson.optional().meta({ description: 'JSON Schema of the payload, if it has one' }),
    plan: z.object({
      items: z.array(planItem).meta({ description: 'Each comes after those it follows' }),
      hooks: z.object({ init: planHook, success: planHook, failure: planHook }),
    }),
  })
  .meta({ id: 'WorkflowDefinitionDetail' });

export const definitionFault = z
  .object({ file: z.string(), line: z.int(), column: z.int(), message: z.string() })
  .meta({ id: 'DefinitionFault' });

export const logPage = z
  .object({
    lines: z.array(z.object({ id: z.int(), attempt: z.int(), at: z.string(), line: z.string() })),
    next: z.int().meta({ description: 'Ask for lines after this one to go on' }),
  })
  .meta({ id: 'TaskLog' });

export type InstanceStatus = (typeof statuses)[number];
export type InstanceListItem = z.infer<typeof instanceListItem>;
export type InstanceTask = z.infer<typeof instanceTask>;
export type InstanceDetail = z.infer<typeof instanceDetail>;
export type WorkflowDefinition = z.infer<typeof definition>;
export type DefinitionDetail = z.infer<typeof definitionDetail>;
export type DefinitionFault = z.infer<typeof definitionFault>;
export type PlanItemView = z.infer<typeof planItem>;
export type LogPage = z.infer<typeof logPage>;
